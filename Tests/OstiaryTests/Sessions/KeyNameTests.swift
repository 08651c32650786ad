import Ostiary
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("The name of the key that signed an ID token")
struct KeyNameTests {
    @Test("A client can require that an ID token names its key")
    func required() async throws {
        let world = try World(scenario: .absentKeyID)
        _ = try await world.client().signIn()
        let policy = Client.ValidationPolicy(requiresKeyID: true)
        let client = try world.client(validation: policy)
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.identity, .mismatch(.key))
        )
        _ = try await World().client(validation: policy).signIn()
    }
}
