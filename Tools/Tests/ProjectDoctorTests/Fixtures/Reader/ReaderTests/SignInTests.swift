let redirectURI = "test_app:/callback"
let clientSecret = "of-a-test-and-nobody-else"
