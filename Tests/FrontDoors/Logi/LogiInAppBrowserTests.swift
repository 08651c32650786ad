import Foundation
import OstiaryLogi
import Testing

@Suite("Out of a browser inside another app")
struct LogiInAppBrowserTests {
    @Test(
        "An in-app browser is recognized by the mark in its user agent string",
        .covers(.logi, rows: 55),
        arguments: [
            ("Mozilla/5.0 (iPhone) KAKAOTALK 10.4.5", LogiInAppBrowser.kakaoTalk),
            ("Mozilla/5.0 NAVER(inapp; search; 2000; 12.0)", .naver),
            ("Mozilla/5.0 [FB_IAB/FB4A;FBAV/400.0]", .facebook),
            ("Mozilla/5.0 [FBAN/FBIOS]", .facebook), ("Mozilla/5.0 FBAV/1", .facebook),
            ("Mozilla/5.0 Instagram 250.0", .instagram),
            ("Mozilla/5.0 Safari Line/13.0", .line), ("Mozilla/5.0 MicroMessenger/8.0", .weChat),
            ("Mozilla/5.0 BytedanceWebview/d8a", .tikTok), ("Mozilla/5.0 musical_ly_27", .tikTok),
            ("Mozilla/5.0 Twitter for iPhone/9.0", .twitter), ("Mozilla/5.0 Twitter for iPad", .twitter),
        ] as [(String, LogiInAppBrowser?)]
    )
    func known(userAgent: String, app: LogiInAppBrowser?) {
        #expect(LogiInAppBrowser(userAgent: userAgent) == app)
    }

    @Test("A standalone browser's user agent string is no in-app browser", .covers(.logi, rows: 55))
    func browser() {
        #expect(LogiInAppBrowser(userAgent: "Mozilla/5.0 (iPhone) Version/18.0 Mobile/15E148 Safari/604.1") == nil)
        #expect(LogiInAppBrowser(userAgent: "") == nil)
    }

    @Test(
        "KakaoTalk and Naver have an escape URL with the page escaped, and the others have none",
        .covers(.logi, rows: 55)
    )
    func escape() throws {
        let page = try #require(URL(string: "https://app.example.com/a?b=c&d=e%20f"))
        let target = "https%3A%2F%2Fapp.example.com%2Fa%3Fb%3Dc%26d%3De%2520f"
        #expect(
            LogiInAppBrowser.kakaoTalk.escape(to: page)?.absoluteString
                == "kakaotalk://web/openExternal?url=" + target
        )
        #expect(
            LogiInAppBrowser.naver.escape(to: page)?.absoluteString
                == "naversearchapp://inappbrowser?url=" + target + "&target=new"
        )
        for app in LogiInAppBrowser.allCases where app != .kakaoTalk && app != .naver {
            #expect(app.escape(to: page) == nil)
        }
    }

    @Test(
        "A URL that is not a web page has no escape URL",
        .covers(.logi, rows: 55),
        arguments: ["javascript:alert(1)", "file:///etc/passwd", "myapp://x", "page"]
    )
    func otherSchemes(text: String) throws {
        let page = try #require(URL(string: text))
        for app in LogiInAppBrowser.allCases { #expect(app.escape(to: page) == nil) }
    }
}
