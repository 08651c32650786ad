import ArgumentParser

/// The command line `ostiary`: its commands and its exit status.
struct OstiaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary",
        abstract: "Sign in with OAuth 2 and OpenID Connect from a terminal.",
        discussion: """
            EXAMPLES
              ostiary demo
              ostiary login --issuer https://id.example.com --client-id my-app
              ostiary token --format curl | curl --config - https://api.example.com
              ostiary exec -- ./deploy.sh
              ostiary userinfo --json
              ostiary logout

            SESSIONS
              A session is kept under the name of its profile, with all that using it
              needs: no other command asks for the issuer or the client again. What is
              stored is sealed. The default store is the folder ostiary in
              $XDG_STATE_HOME (~/.local/state); its key is ostiary/store.key in
              $XDG_CONFIG_HOME (~/.config). With --store file:PATH both lie in the
              folder PATH, the key as store.key; --store keyring is the desktop's own
              (the Secret Service on Linux); with --store memory nothing outlives the
              command. Several processes may use one profile at the same time.

            OUTPUT
              Data goes to standard output, everything else to standard error. --json
              prints exactly one object, {"ok":true,…} or {"ok":false,"error":{…}} with
              the members stage, reason, check, code, message and recovery; a wrong clock
              of this device is told as the member clock. Tokens are printed by ostiary
              token, by the token commands of the front doors, by ostiary logi device-key,
              and by ostiary exchange when it is told to. ostiary exec ends with the status
              of the command that it runs.

            RECORDING
              --record FILE, with any command, writes what is sent and answered to FILE as
              JSON Lines; FILE gets another step if it is a recording. It holds tokens.
              --record-redacted FILE leaves out credentials, tokens and claims about the
              user.

            SIGNALS
              An interrupt, SIGTERM or SIGHUP cancels what a command does. A request for
              tokens that has been sent is not given up: its answer is awaited for up to
              20 seconds and stored, since the issuer takes a refresh token once. A second
              signal ends ostiary at once, and the session may be lost.

            \(ExitStatus.table)
            """,
        version: "0.1.0",
        subcommands: [
            Login.self, Device.self, Token.self, UserInfoCommand.self, Refresh.self, Logout.self, Exec.self,
            RequestCommand.self, Sessions.self, ServeAPI.self,
        ],
        groupedSubcommands: [
            CommandGroup(name: "Client", subcommands: [Register.self]),
            CommandGroup(name: "Tokens", subcommands: [Exchange.self, Introspect.self, Revoke.self, JWTCommand.self]),
            CommandGroup(name: "Issuer", subcommands: [Discover.self, JWKS.self]),
            CommandGroup(
                name: "Front doors",
                subcommands: [
                    CurityCommand.self, LogiCommand.self, LogtoCommand.self, SSAFYCommand.self, ZephrCommand.self,
                ]
            ),
            CommandGroup(name: "Development", subcommands: [Doctor.self, ProviderCommand.self, Demo.self]),
        ]
    )
}
