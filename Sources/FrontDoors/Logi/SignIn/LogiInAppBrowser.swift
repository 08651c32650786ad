import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An app with a browser of its own, in which a sign-in page may not work.
public enum LogiInAppBrowser: String, Sendable, Hashable, CaseIterable {
    /// KakaoTalk.
    case kakaoTalk
    /// Naver.
    case naver
    /// Facebook.
    case facebook
    /// Instagram.
    case instagram
    /// LINE.
    case line
    /// WeChat.
    case weChat
    /// TikTok.
    case tikTok
    /// Twitter.
    case twitter

    /// Recognizes the app in a `User-Agent` field; `nil` for a browser.
    public init?(userAgent: String) {
        guard let found = Self.allCases.first(where: { app in app.marks.contains { userAgent.contains($0) } }) else {
            return nil
        }
        self = found
    }

    /// The address that has this app open a page in the system's browser.
    ///
    /// - Parameter page: An http or https URL.
    /// - Returns: `nil` for an app that has no such address, and for a page that is not of the web.
    public func escape(to page: URL) -> URL? {
        guard ["http", "https"].contains(page.scheme?.lowercased() ?? "") else { return nil }
        let target = FormURLEncoding.escape(page.absoluteString)
        return switch self {
        case .kakaoTalk: URL(string: "kakaotalk://web/openExternal?url=" + target)
        case .naver: URL(string: "naversearchapp://inappbrowser?url=" + target + "&target=new")
        case .facebook, .instagram, .line, .weChat, .tikTok, .twitter: nil
        }
    }

    private var marks: [String] {
        switch self {
        case .kakaoTalk: ["KAKAOTALK"]
        case .naver: ["NAVER(inapp"]
        case .facebook: ["FB_IAB", "FBAN", "FBAV"]
        case .instagram: ["Instagram"]
        case .line: ["Line/"]
        case .weChat: ["MicroMessenger"]
        case .tikTok: ["BytedanceWebview", "musical_ly"]
        case .twitter: ["Twitter for iPhone", "Twitter for iPad"]
        }
    }
}
