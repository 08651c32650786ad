import OstiaryOAuth

extension SignInClient {
    /// Adds `prompt=consent` to a request if the server issues no refresh token without it (OpenID Connect Core section
    /// 11).
    ///
    /// A prompt that the app sets is not changed.
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
    /// stores the learned facts.
    ///
    /// The client stops sending the prompt to a server that issues no refresh token with it either.
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

    /// Reports a session that cannot be renewed although `offline_access` was requested.
    func report(_ session: Session, requested scopes: [Scope]) {
        guard scopes.contains(.offlineAccess), case .notRenewable(let reason) = session.renewal else { return }
        events(.notRenewable(reason))
    }

    /// Requests new tokens with metadata of any age, and reads old metadata again at once if the token endpoint is
    /// gone.
    ///
    /// The client sends the same refresh token to another endpoint only when the first endpoint cannot have redeemed
    /// it.
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

    /// Stores the facts learned from a refresh, and starts reading old metadata again: the refresh did not wait for it.
    func settle(after tokens: TokenSet) async {
        await directory.learned?.save()
        let form = Self.form(of: tokens)
        guard await directory.isReadingDue() else { return }
        Task { [directory] in
            _ = try? await directory.server(form)
            await directory.learned?.save()
        }
    }

    private static func form(of tokens: TokenSet) -> ServerMetadataRequest.Form {
        tokens.identity == nil && !tokens.scopes.contains(.openID) ? .oauth : .openIDConnect
    }
}

extension SignInError {
    /// Whether the token endpoint is gone, so that it cannot have processed the request.
    fileprivate var meansThatEndpointIsGone: Bool {
        switch reason {
        case .server(let status): status == 404 || status == 405 || status == 410
        case .transport(let failure): failure == .unknownHost || failure == .unreachable || failure == .tls
        default: false
        }
    }
}
