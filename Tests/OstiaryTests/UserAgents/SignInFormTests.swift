import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import Testing

/// Forms as real servers write them.
@Suite("HTTPUserAgent fills in forms", .timeLimit(.minutes(5)))
struct SignInFormTests {
    private static let answered = "com.example.app:/callback?code=c&state=s"

    private func posted(_ site: WebSite, to path: String) -> String? {
        site.requests.last { $0.url.path() == path && $0.method == .post }?.body.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(
        "Django's sign-in form and the toolkit's consent form are answered",
        arguments: [HTTPUserAgent.Answer.approve, .deny]
    )
    func django(answer: HTTPUserAgent.Answer) async throws {
        let login = """
            <!DOCTYPE html><html><head><title>Log in <form></title><script>var s = "<form method=post>";</script></head><body>
            <form action="/i18n/" method="get"><select name="language"><option value="en" selected>en</option></select></form>
            <form action="/admin/login/?next=/o/authorize/%3Fa%3D1" method="post" id="login-form">
            <input type="hidden" name="csrfmiddlewaretoken" value="t&quot;k">
            <!-- <input name="trap" value="1"> -->
            <label for="id_username">Username:</label> <input type="text" name="username" autofocus autocapitalize="none">
            <input type="password" name="password" autocomplete="current-password" required id="id_password">
            <input type="hidden" name="next" value="/o/authorize/?a=1&amp;b=2">
            <div class="submit-row"><input type="submit" value="Log in"></div></form></body></html>
            """
        let consent = """
            <form id="authorizationForm" method="post"><input type="hidden" name="csrfmiddlewaretoken" value="t2">
            <input type="hidden" name="scope" value="openid profile">
            <input type="submit" class="btn btn-large" value="Cancel"/>
            <input type="submit" class="btn btn-large btn-primary" name="allow" value="Authorize"/></form>
            """
        let site = WebSite { request in
            switch (request.url.path(), request.method) {
            case ("/authorize", _): .redirect("/admin/login/?next=x")
            case ("/admin/login/", .get): .page(login, cookies: ["csrftoken=abc; Path=/; SameSite=Lax"])
            case ("/admin/login/", _): .redirect("/o/authorize/", cookies: ["sessionid=s1; HttpOnly; Path=/"])
            case ("/o/authorize/", .get): .page(consent)
            default: .answer
            }
        }
        #expect(try await site.open(answer: answer) == Self.answered)
        #expect(
            posted(site, to: "/admin/login/")
                == "csrfmiddlewaretoken=t%22k&username=alice&password=correct%20%26%20horse&next=%2Fo%2Fauthorize%2F%3Fa%3D1%26b%3D2"
        )
        let allow = answer == .approve ? "&allow=Authorize" : ""
        #expect(posted(site, to: "/o/authorize/") == "csrfmiddlewaretoken=t2&scope=openid%20profile\(allow)")
        let post = try #require(site.requests.first { $0.method == .post })
        #expect(post.fields[.origin] == "https://id.example.com")
        #expect(post.fields[.cookie] == "csrftoken=abc")
        #expect(site.requests.last?.fields[.cookie] == "csrftoken=abc; sessionid=s1")
        #expect(site.requests.allSatisfy { $0.fields[.accept] == "text/html" && $0.fields[.userAgent] != nil })
    }

    @Test(
        "The page of a one-time password is filled in after the sign-in form, whatever the field is called",
        arguments: [
            #"<input name="otp" type="text">"#, #"<input name="code" type="tel" autocomplete="one-time-code">"#,
            #"<input name="totp" type="number">"#, #"<input name="pin" type="password" autocomplete="one-time-code">"#,
        ]
    )
    func oneTimePassword(field: String) async throws {
        let login = "<form method=post action=/code><input name=username><input name=p type=password></form>"
        let code = "<form method=post action=/done>\(field)<button>Verify</button><button name=c>Cancel</button></form>"
        let site = WebSite(["/authorize": .page(login), "/code": .page(code), "/done": .answer])
        let credentials = HTTPUserAgent.Credentials(name: "alice", password: Secret("p")) { Secret("123456") }
        #expect(try await site.open(credentials: credentials) == Self.answered)
        #expect(posted(site, to: "/done")?.hasSuffix("=123456") == true)
    }

    @Test(
        "The account of the credentials is chosen in an account chooser, or else another one",
        arguments: [("alice", "account=a1"), ("bob", "account=b2"), ("carol", "go=other"), ("al", "go=other")]
    )
    func accountChooser(name: String, sent: String) async throws {
        let chooser = """
            <form method=post action=/chosen>
            <button name=account value=a1><bdi>alice</bdi> <span>Signed in</span></button>
            <button name=forget value=a1>Forget</button>
            <button name=account value=b2>bob</button><button name=forget value=b2>Forget</button>
            <button name=go value=other>Use another account</button><button name=go value=refuse>Cancel</button></form>
            """
        let site = WebSite(["/authorize": .page(chooser), "/chosen": .answer])
        #expect(try await site.open(credentials: .init(name: name, password: Secret("p"))) == Self.answered)
        #expect(posted(site, to: "/chosen") == sent)
    }

    @Test("A consent page that offers another account beside its buttons is no account chooser")
    func consentWithAnotherAccount() async throws {
        let consent = """
            <form method=post action=/consent><button name=d value=switch>Use another account</button>
            <button name=d value=no>Deny</button><button name=d value=yes>Allow</button></form>
            """
        let site = WebSite(["/authorize": .page(consent), "/consent": .answer])
        #expect(try await site.open() == Self.answered)
        #expect(posted(site, to: "/consent") == "d=yes")
    }

    @Test(
        "A cancel button without name and value is pressed only to deny",
        arguments: [HTTPUserAgent.Answer.approve, .deny]
    )
    func silentCancel(answer: HTTPUserAgent.Answer) async throws {
        let site = WebSite([
            "/authorize": .page(
                "<form method=post action=/o><input type=submit><input type=submit name=allow value=Authorize></form>"
            ),
            "/o": .answer,
        ])
        #expect(try await site.open(answer: answer) == Self.answered)
        #expect(posted(site, to: "/o") == (answer == .approve ? "allow=Authorize" : nil))
    }

    @Test(
        "A sign-in in three forms sends the name, then the password, then the consent value",
        arguments: [("accept", HTTPUserAgent.Answer.approve), ("deny", .deny)]
    )
    func canaille(value: String, answer: HTTPUserAgent.Answer) async throws {
        let site = WebSite { request in
            switch (request.url.path(), request.method) {
            case ("/authorize", .get):
                .page(
                    "<form method=POST action=/login><input name=csrf_token type=hidden value=1><input type=text name=login><a href=/forgot>x</a><button type=submit name=answer value=sign-in>Continue</button></form>"
                )
            case ("/login", _): .redirect("/auth/password")
            case ("/auth/password", .get):
                .page(
                    "<form method=post><input type=password name=password><button name=forgot formaction=/forgot>Forgotten password</button><button type=submit>Sign in</button></form>"
                )
            case ("/auth/password", _): .redirect("/consent")
            case ("/consent", .get):
                .page(
                    """
                    <form method=post><input type=checkbox name=scope value=profile>
                    <button name=answer value=logout>Switch user</button><button name=answer value=deny>Decline</button>
                    <button name="answer" value="accept">Accept</button><button type=button name=x value=y>Details</button></form>
                    """
                )
            default: .answer
            }
        }
        #expect(try await site.open(answer: answer) == Self.answered)
        #expect(posted(site, to: "/login") == "csrf_token=1&login=alice&answer=sign-in")
        #expect(posted(site, to: "/auth/password") == "password=correct%20%26%20horse")
        #expect(posted(site, to: "/consent") == (answer == .approve ? "scope=profile&answer=accept" : "answer=deny"))
    }

    @Test(
        "Approve and deny buttons are recognized by whole words",
        arguments: [
            ("<button name=a value=1>Notify me and continue</button><button name=a value=2>No</button>", "a=1", "a=2"),
            ("<button name=a value=1>Do not allow</button><button name=a value=2>Allow</button>", "a=2", "a=1"),
            (
                "<button name=consent value=deny>x</button><button name=consent value=yes>y</button>", "consent=yes",
                "consent=deny"
            ),
            ("<button name=a value=1>Don’t allow</button><button name=b value=2>OK</button>", "b=2", "a=1"),
            (
                "<button name=rejectButton value=1></button><button name=acceptButton value=1></button>",
                "acceptButton=1", "rejectButton=1"
            ),
            (
                "<button name=a value=1>Log out</button><button name=a value=2>Cancel</button><button name=a value=3>Weiter</button>",
                "a=3", "a=2"
            ),
        ]
    )
    func words(buttons: String, yes: String, no: String) async throws {
        for (answer, expected) in [(HTTPUserAgent.Answer.approve, yes), (.deny, no)] {
            let site = WebSite(["/authorize": .page("<form method=post action=/o>\(buttons)</form>"), "/o": .answer])
            #expect(try await site.open(answer: answer) == Self.answered)
            #expect(posted(site, to: "/o") == expected)
        }
    }

    @Test("A consent form without a deny button is not answered with deny")
    func nothingToDeny() async throws {
        let site = WebSite([
            "/authorize": .page("<form method=post action=/o><button name=allow>Allow</button></form>"), "/o": .answer,
        ])
        await #expect(
            throws: SignInError(.authorization, .malformed("the sign-in page has no form that can be filled"))
        ) { try await site.open(answer: .deny) }
    }

    @Test("Every kind of form field is sent as a browser sends it")
    func fields() async throws {
        let form = """
            <form method=post action=/o>
            <input type=hidden name=h value='a&#x26;b&lt;c&copy=1'><input name=plain value=p><input disabled name=off value=1>
            <input value=nameless><input type=file name=f><input type=reset name=r>
            <input type=radio name=radio value=1><input type=radio name=radio value=2 checked>
            <input type=radio name=need value=1 required><input type=radio name=need value=2 required>
            <select name=list><option value=1>One<option value=2 selected>Two</select>
            <select name=first><option disabled value=0>None<option> The  first </option><option>Second</select>
            <select name=empty></select>
            <textarea name=area>
            x &amp; <b>y</b></textarea>
            <input type=checkbox name=box>
            <button>Allow</button></form>
            """
        let site = WebSite(["/authorize": .page(form), "/o": .answer])
        #expect(try await site.open() == Self.answered)
        #expect(
            posted(site, to: "/o")
                == "h=a%26b%3Cc%26copy%3D1&plain=p&radio=2&need=1&list=2&first=The%20first&area=x%20%26%20%3Cb%3Ey%3C%2Fb%3E&box=on"
        )
    }

    @Test("A form with GET replaces the query of its action")
    func getForm() async throws {
        let site = WebSite([
            "/authorize": .page(
                "<form action='/o?old=1#f'><input type=hidden name=a value='1 2'><button name=ok value=1>Continue</button></form>"
            ),
            "/o": .answer,
        ])
        #expect(try await site.open() == Self.answered)
        #expect(site.requests.last?.url.absoluteString == "https://id.example.com/o?a=1%202&ok=1")
    }

    @Test("A button's own action and method are used, also from outside of its form")
    func buttonAttributes() async throws {
        let site = WebSite([
            "/authorize": .page(
                "<button form=f formaction=/early name=e value=1>Cancel</button><form id=f action=/no><input type=hidden name=a value=1></form><input type=submit form=f formaction=/o formmethod=POST name=b value=Allow>"
            ),
            "/o": .answer,
        ])
        #expect(try await site.open() == Self.answered)
        #expect(posted(site, to: "/o") == "a=1&b=Allow")
    }

    @Test("A form that a script submits is sent")
    func scriptForm() async throws {
        let site = WebSite([
            "/authorize": .page(
                "<body onload='document.forms[0].submit()'><form method=post action=/o><input type=hidden name=a value=1><noscript><input type=submit value=Continue></noscript></form>"
            ),
            "/o": .answer,
        ])
        #expect(try await site.open() == Self.answered)
        #expect(posted(site, to: "/o") == "a=1")
    }

    @Test(
        "A sign-out form is confirmed with its sign-out button",
        arguments: [(HTTPUserAgent.Answer.approve, "logout=yes"), (.deny, "")]
    )
    func endSession(answer: HTTPUserAgent.Answer, body: String) async throws {
        let site = WebSite([
            "/end": .page(
                "<form method=post action=/session/logout/confirm><input type=hidden name=xsrf value=1><button name=logout value=yes>Yes, sign me out</button><button>No, stay signed in</button></form>"
            ),
            "/session/logout/confirm": .answer,
        ])
        let path = "/end?post_logout_redirect_uri=com.example.app%3A%2Fcallback&id_token_hint=x"
        #expect(try await site.open(path, answer: answer) == Self.answered)
        #expect(
            posted(site, to: "/session/logout/confirm")
                == ["xsrf=1", body].filter { !$0.isEmpty }.joined(separator: "&")
        )
    }

    @Test("A registration form is ignored in favor of the sign-in form")
    func registration() async throws {
        let site = WebSite([
            "/authorize": .page(
                "<form method=post action=/register><input name=email><input type=password name=p></form><form method=post action=/new><input name=email><input type=password name=p><input type=password name=again></form><form method=post action=/login><input name=who><input type=password name=p></form>"
            ),
            "/login": .answer,
        ])
        #expect(try await site.open() == Self.answered)
        #expect(posted(site, to: "/login") == "who=alice&p=correct%20%26%20horse")
    }
}
