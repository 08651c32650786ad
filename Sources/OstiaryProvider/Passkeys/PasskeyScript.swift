import HTTPTypes
import OstiaryJOSE

/// The one script of the pages, where there are passkeys: it connects a form with the browser's passkeys.
///
/// Its form posts the browser's response, so the script sends no request of its own. A browser without
/// `PublicKeyCredential.parseRequestOptionsFromJSON` (Web Authentication Level 3 section 5.1) never sees the form.
public enum PasskeyScript {
    /// The text between the tags; it is the same on every page, and `PasskeyPrompt` has the rest.
    public static let source = """
        (() => {
          "use strict";
          const form = document.getElementById("passkey-form");
          const status = document.getElementById("passkey-status");
          const api = window.PublicKeyCredential;
          if (!api || !api.parseRequestOptionsFromJSON || !api.parseCreationOptionsFromJSON) return;
          const isCreation = form.dataset.ceremony === "create";
          const options = JSON.parse(form.dataset.options);
          let last = null;
          const begin = async (mediation) => {
            if (last) last.abort();
            const controller = last = new AbortController();
            const request = { signal: controller.signal };
            if (mediation) request.mediation = mediation;
            try {
              let credential;
              if (isCreation) {
                request.publicKey = api.parseCreationOptionsFromJSON(options);
                credential = await navigator.credentials.create(request);
              } else {
                request.publicKey = api.parseRequestOptionsFromJSON(options);
                credential = await navigator.credentials.get(request);
              }
              form.elements.passkey.value = JSON.stringify(credential);
              form.submit();
            } catch (error) {
              if (controller.signal.aborted || mediation) return;
              const isKnown = isCreation && error.name === "InvalidStateError";
              status.textContent = isKnown ? status.dataset.known : status.dataset.failed;
              status.hidden = false;
              offer();
            }
          };
          const offer = async () => {
            if (isCreation || !api.isConditionalMediationAvailable) return;
            if (await api.isConditionalMediationAvailable()) begin("conditional");
          };
          form.addEventListener("submit", (event) => {
            event.preventDefault();
            status.hidden = true;
            begin();
          });
          const substitute = document.getElementById("passkey-unsupported");
          if (substitute) substitute.hidden = true;
          form.hidden = false;
          offer();
        })();
        """

    /// The source of a Content Security Policy that allows this script alone. (CSP Level 3 section 6.7.3.3)
    static let policy: String = {
        // The directive has base64 with padding: 32 bytes are 43 characters and one of padding.
        let hash = Base64URL.encode(HashAlgorithm.sha256.hash(Array(source.utf8)))
        let base64 = hash.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return "script-src 'sha256-\(String(base64))='"
    }()
}

extension ProviderResponse {
    /// The response with a policy that allows the script, where its page has a form for passkeys.
    func allowingScript(for prompt: PasskeyPrompt?) -> ProviderResponse {
        guard prompt != nil, let policy = fields[.contentSecurityPolicy] else { return self }
        var response = self
        response.fields[.contentSecurityPolicy] = "\(policy); \(PasskeyScript.policy)"
        return response
    }
}
