import SwiftUI

/// The form for a new reader.
struct RegistrationView: View {
    let form: RegistrationForm
    let waiting: RegistrationForm.Waiting
    @State private var firstName = ""

    var body: some View {
        Form {
            Section("One more thing") {
                if let emailAddress = waiting.emailAddress { Text(verbatim: emailAddress) }
                TextField("First name", text: $firstName)
                if let complaint = waiting.complaint { Text(verbatim: complaint) }
            }
            Button("Register") { form.submit(firstName: firstName) }.disabled(firstName.isEmpty)
        }
    }
}
