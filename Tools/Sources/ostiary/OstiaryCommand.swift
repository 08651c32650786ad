import ArgumentParser

/// The command line `ostiary`: its commands and its exit status.
struct OstiaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary",
        abstract: "Sign in with OpenID Connect from a terminal.",
        discussion: """
            EXAMPLES
              ostiary demo
              ostiary login --issuer https://id.example.com --client-id my-app
              ostiary token --format curl | curl --config - https://api.example.com
              ostiary exec -- ./deploy.sh
              ostiary userinfo --json
              ostiary logout

            SESSIONS
              A session is stored, sealed, under the name of its profile, with its issuer
              and client: no later command needs them, not even ostiary login. The default
              store is the folder ostiary in $XDG_STATE_HOME (~/.local/state); its key is
              ostiary/store.key in $XDG_CONFIG_HOME (~/.config). With --store file:PATH
              both are in the folder PATH, the key as store.key. --store keyring is the
              desktop's keyring (the Secret Service on Linux); --store memory ends with the
              command. Several processes may use one profile at the same time.

            OUTPUT
              Data goes to standard output, everything else to standard error. --json
              prints one object, {"ok":true,…} or {"ok":false,"error":{…}} with the
              members stage, reason, check, code, message and recovery; ostiary device
              prints its code as an object before that. The member clock reports a wrong
              clock of this device. Only these print tokens: ostiary token, ostiary
              exchange --output-file -, ostiary logi device-key, and the token commands of
              the front doors. The status of ostiary exec is that of the command that it
              runs.

            DEFAULTS
              OSTIARY_PROFILE, OSTIARY_STORE, OSTIARY_ISSUER and OSTIARY_CLIENT_ID stand
              for --profile, --store, --issuer and --client-id, and OSTIARY_CA_FILE for
              --ca-file. The file ostiary/config.json in $XDG_CONFIG_HOME (~/.config), or
              the one that OSTIARY_CONFIG names, may have the same as profile, store,
              issuer, client_id and ca_file. Options take precedence over variables, and
              variables over the file.

            NETWORK
              --ca-file FILE, with any command, trusts the certificates of a PEM file
              besides the system's; SSL_CERT_FILE and SSL_CERT_DIR replace the system's.
              --proxy URL sends requests through an HTTP proxy; otherwise HTTPS_PROXY,
              http_proxy, ALL_PROXY and NO_PROXY apply. Requests to this machine go direct.
              --trace FILE writes each request and response without secrets: as text, as
              HTTP Archive when FILE ends in .har, as JSON Lines when it ends in .jsonl;
              - is standard error.

            RECORDING
              --record FILE, with any command, writes requests and responses to FILE as
              JSON Lines, or adds a step to a recording. The file contains tokens.
              --record-redacted FILE leaves out credentials, tokens and claims about the
              user.

            SIGNALS
              An interrupt, SIGTERM or SIGHUP cancels the command. If a token request has
              been sent, ostiary first waits up to 20 seconds for the response and stores
              it, because the issuer accepts a refresh token once. A second signal ends it
              immediately, and the session may be lost.

            \(ExitStatus.table)
            """,
        version: "0.1.0",
        subcommands: [
            Login.self, Device.self, Status.self, Token.self, UserInfoCommand.self, Refresh.self, Logout.self,
            Exec.self,
            RequestCommand.self, CredentialCommand.self, Sessions.self, ServeAPI.self,
        ],
        groupedSubcommands: [
            CommandGroup(name: "Client", subcommands: [Register.self, ClientCredentials.self, KeyCommand.self]),
            CommandGroup(
                name: "Tokens",
                subcommands: [
                    Exchange.self, Introspect.self, Revoke.self, JWTCommand.self, ProofKeyCommand.self,
                    ProofCommand.self,
                ]
            ),
            CommandGroup(name: "Issuer", subcommands: [Discover.self, JWKS.self]),
            CommandGroup(
                name: "Front doors",
                subcommands: [
                    CurityCommand.self, LogiCommand.self, LogtoCommand.self, SSAFYCommand.self, ZephrCommand.self,
                ]
            ),
            CommandGroup(name: "Development", subcommands: [Doctor.self, Probe.self, ProviderCommand.self, Demo.self]),
        ]
    )
}
