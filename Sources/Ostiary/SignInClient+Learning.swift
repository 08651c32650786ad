import OstiaryOAuth

extension SignInClient {
    /// Adds `prompt=consent` to a request where the server gives no refresh token without it (OpenID Connect Core
    /// section 11).
    ///
    /// A prompt that the app sets stays as it is.
    func consenting(
        _ request: AuthorizationRequest,
        at server: AuthorizationServer
    ) async -> AuthorizationRequest {
        guard request.prompt.isEmpty, request.sentScopes(to: server).contains(.offlineAccess) else { return request }
        let isNeeded =
            switch policy.consentForOfflineAccess {
            case .never: false
            case .always: true
            case .whenNeeded: await directory.learned?.consentForRenewal() == .needed
            }
        guard isNeeded else { return request }
        var request = request
        request.prompt = [.consent]
        return request
    }

    /// Learns from a sign-in whether the next one needs `prompt=consent`, reports a session that cannot be renewed, and
    /// keeps what was learned.
    ///
    /// A server that gives no refresh token with the prompt either is not sent it again.
    func learn(from session: Session, requestedBy request: AuthorizationRequest) async {
        if request.scopes.contains(.offlineAccess), let learned = directory.learned {
            let known = await learned.consentForRenewal()
            switch session.renewal {
            case .renewable where known == .useless || request.prompt.isEmpty: await learned.note(nil)
            case .notRenewable(.offlineAccessNotGranted) where request.prompt.isEmpty && known == nil:
                await learned.note(.needed)
            case .notRenewable where request.prompt == [.consent] && known == .needed: await learned.note(.useless)
            default: break
            }
        }
        report(session, requested: request.scopes)
        await directory.learned?.save()
    }

    /// Reports a session that cannot be renewed, though a refresh token was requested.
    func report(_ session: Session, requested scopes: [Scope]) {
        guard scopes.contains(.offlineAccess), case .notRenewable(let reason) = session.renewal else { return }
        events(.notRenewable(reason))
    }

    /// Requests new tokens with metadata of any age; metadata that is old is read again at once where the token endpoint
    /// is no longer there.
    ///
    /// The same refresh token is sent to another endpoint only when the first one cannot have used it.
    func answer(refreshing grant: RefreshGrant, of tokens: TokenSet) async throws(SignInError) -> UncheckedRefresh {
        let form = Self.form(of: tokens)
        let (server, isDue) = try await directory.serverAtAnyAge(form)
        do throws(SignInError) {
            return try await answer(to: RefreshExchange(grant, client: client, server: server))
        } catch {
            guard isDue, error.meansThatEndpointIsGone, let newer = try? await directory.reread(form),
                newer.tokenEndpoint != server.tokenEndpoint
            else { throw error }
            return try await answer(to: RefreshExchange(grant, client: client, server: newer))
        }
    }

    /// Keeps what a refresh taught, and has old metadata read again: after the refresh, which did not wait for it.
    func settle(after tokens: TokenSet) async {
        await directory.learned?.save()
        let form = Self.form(of: tokens)
        guard await directory.isReadingDue() else { return }
        Task { [directory] in
            _ = try? await directory.server(form)
            await directory.learned?.save()
        }
    }

    private static func form(of tokens: TokenSet) -> Discovery.Form {
        tokens.identity == nil && !tokens.scopes.contains(.openID) ? .oauth : .openIDConnect
    }
}

extension SignInError {
    /// Whether the token endpoint has certainly not seen the request, since nothing answers there any more.
    fileprivate var meansThatEndpointIsGone: Bool {
        switch reason {
        case .server(let status): status == 404 || status == 405 || status == 410
        case .transport(let failure): failure == .unknownHost || failure == .unreachable || failure == .tls
        default: false
        }
    }
}
