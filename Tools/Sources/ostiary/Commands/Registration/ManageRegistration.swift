import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary register read`: the registration as the issuer has it.
struct ReadRegistration: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read the registration of a profile's client."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        Answer(try await StoredRegistration(place, telling: trace).registrar.read(), "Registered")
    }
}

/// `ostiary register update`: other metadata.
struct UpdateRegistration: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Replace the metadata of a profile's client.",
        discussion:
            "A metadata file replaces all of it; without one, what is registered is sent again with the changes."
    )

    @OptionGroup var description: MetadataOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let stored = try await StoredRegistration(place, telling: trace)
        let metadata = try description.metadata(over: stored.registration.metadata.members)
        return Answer(try await stored.registrar.update(metadata), "Updated")
    }
}

/// `ostiary register delete`: deletes the client at the server.
struct DeleteRegistration: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a profile's client at the issuer and here."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Forget it here and send the issuer nothing, for an issuer without that endpoint.")
    var forget = false

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let stored: StoredRegistration
        do {
            stored = try await StoredRegistration(place, telling: trace)
        } catch let error as SignInError where forget && error.reason == .storage(.corrupted) {
            try await Profile(name: place.profile, store: place.store.open()).forgetRegistration()
            return Answer(
                members: ["clientID": .null, "registration": "forgotten"],
                text: "Forgotten: a registration that could not be read\n"
            )
        }
        if forget {
            try await stored.forget()
        } else {
            try await stored.registrar.delete()
        }
        try await stored.profile.setRegistrationIssuer(nil)
        // The tokens of a client that is gone are worth nothing.
        if !forget, let record = try? await stored.profile.record(), record.clientID == stored.registration.clientID {
            _ = try await stored.profile.removeEverything()
        }
        return Answer(
            members: [
                "clientID": .string(stored.registration.clientID),
                "registration": forget ? "forgotten" : "deleted",
            ],
            text: (forget ? "Forgotten: " : "Deleted: ") + stored.registration.clientID.printable + "\n"
        )
    }
}
