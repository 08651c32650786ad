import NIOSSL

/// Self-signed certificates for localhost, made with OpenSSL 3 for these tests alone; valid until 2126.
enum Certificates {
    /// RSA with 2,048 bits, SHA-256, an alternative name.
    static let good = """
        -----BEGIN CERTIFICATE-----
        MIIDJzCCAg+gAwIBAgIUItX7G9NoBv5glXbXYcXOWV/exAswDQYJKoZIhvcNAQEL
        BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE4NDYyN1oYDzIxMjYx
        MDMwMTg0NjI3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
        AQUAA4IBDwAwggEKAoIBAQC7ZagvIJoGjq5Ph4h/Yg42LRD6kNiS+uijxcWUQDFN
        jmzArwU1/ylBXw+icRyVtZqcjLB9swGDtawFaXOd9IYVKwGpgA3jmJD52CDzWguF
        cYEbA8Rwqx/orPj5whq62px5jKfODmbLXR62uWXY609IStSuMN8dpRNYzkCvvcug
        vn2oHRitHITaOQNPbeW2bGXXPzTuvXnUIuR0C/DILP5TCGn5IhNHfBO7USgUZ1ni
        a1oXuEMnGN7ZegWhg7ruKh0HgJRyLZCFj/zAn8zfQZhDSVEzXkV5cginBRDd71Iu
        iDn7mfWb737exGp5ruwB+8bQWiGOteAgTXMlg1169P6vAgMBAAGjbzBtMB0GA1Ud
        DgQWBBRid1rlXe8/ynVd0SAYMNvqE1eEUDAfBgNVHSMEGDAWgBRid1rlXe8/ynVd
        0SAYMNvqE1eEUDAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9z
        dIcEfwAAATANBgkqhkiG9w0BAQsFAAOCAQEAQP7U5/7jKeRH7UxjC52hwh7yzd3Q
        p7vByTv3qLngxA8z0IvvWM1yjFMvM1ZvyklPPqZ0vVtOQLys/YBVe7gZbyalyM5g
        /rv2dg/a4Du1Vj5m7L/3kO1Erpf7WqjHyIuixxWZ4k/5QJmFIZguALbXsrkrNeyp
        ILCT9kGZD416f9gx0wt8b9Ie93Mt3IwbSQQLRGRrRG2PHt1TE1ImKx2u3i8ZMN0z
        2v7l9UPGco+OfpsqBgQuLvojYMrzMz1oLtzUUfP9KjCPRmpjvtjM0ve7ZSdBCf6h
        foSGwEuni316Fe1XyilZj9+DGTrwl01spV2H6r15WRlrI285Fvc6Sn2sPA==
        -----END CERTIFICATE-----
        """

    /// P-256, SHA-256, an alternative name.
    static let goodEC = """
        -----BEGIN CERTIFICATE-----
        MIIBlTCCATugAwIBAgIUdxXczh957HtltqbaOMjzZue0ejkwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE4NDYyN1oYDzIxMjYxMDMw
        MTg0NjI3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATAl4X4493eErmYqQPwIqN4ha2rMhQQwX/rfPRldQGiJGzVcfmuVBWo
        fz/mwQVwMFtPBRL2CKORWZQt28sLEiV1o2kwZzAdBgNVHQ4EFgQUf8anmetTAivc
        nxHA15A6R+PVKCAwHwYDVR0jBBgwFoAUf8anmetTAivcnxHA15A6R+PVKCAwDwYD
        VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
        SAAwRQIhAJfPS3TEwRC1vT21plNfeC/z8l9EnoHCEgspDignU6RNAiBE7uO/R55u
        tIqEOuMDa/b5u84s163GXDbWvwbupqreoQ==
        -----END CERTIFICATE-----
        """

    /// No alternative name.
    static let noName = """
        -----BEGIN CERTIFICATE-----
        MIIDCzCCAfOgAwIBAgIUMV7wFn/9CfaI0Rcyw42wEFj3jPYwDQYJKoZIhvcNAQEL
        BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE4NDYyN1oYDzIxMjYx
        MDMwMTg0NjI3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
        AQUAA4IBDwAwggEKAoIBAQDG0kfUFV1mmkK0F2yc136P0mnbhs9I99m2e2PLo9Ia
        DUgKtZUz2dxNjFIzNX/YKZgf7Y1EL0tbzUOWa6uHHu4TlcGhl0Wm1QOTKiR26AcL
        7Pr8MoqoYvC7bXVdc9a0ya9FRehyEdMabUqg4BhTZ/jYLf1ZpfpvjLvybPr2u6fp
        CRjb8BaSKkHchcJ7LI0mqKJUJ8PUSgr5LyNHFycfFhkKyvcKorY/GMgRNTPMU1C5
        a1n1ABZld62nSR0lofPYsgeseptMxPqcVggeLRZ0qzeEHSm96Zaetkg0b1RAJrWh
        l38JpgkfktVe6iHOxtD9Ez/vwobKPtHUmEZzTtcM/i/lAgMBAAGjUzBRMB0GA1Ud
        DgQWBBQRxUDxWZwvQ618A4d6taMzQ7G3RDAfBgNVHSMEGDAWgBQRxUDxWZwvQ618
        A4d6taMzQ7G3RDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQAy
        1hB67qgsJmfhExmfYfi2GWdkdJ/Yzh7HSejmpjhwUvG6OVxH4/iPCRijnYmvkd8B
        yTwE7m5OFEweX+DANAZrVRcerAgzAH+kNEpWXbhOYsEzzkew5w0uhyoM09ceQxES
        hs1cf/+VXpmAVOd4l74qIyBjFDvDFCM4xC1kXJ1x1A93/Sf2f8iEKcIiqhtpq9XP
        usALm3PgrMA24vgBnjUd1SXASckLfZYbiFpmzE4ORiaOPBCQaLBp+qdezzjvex4q
        waikKGmnNiiWFmvUvvBYKmRy/MGRTfYAJTUKe6atEbgrq+YbRPe2iWLLeXjuPGV6
        AESZ/vRpkzFcnIopRXMS
        -----END CERTIFICATE-----
        """

    /// RSA with SHA-1.
    static let sha1 = """
        -----BEGIN CERTIFICATE-----
        MIIDITCCAgmgAwIBAgIUFNag9sTSCX2PD7Yv1BanK3ohHY8wDQYJKoZIhvcNAQEF
        BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE4NDYyOFoYDzIxMjYx
        MDMwMTg0NjI4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
        AQUAA4IBDwAwggEKAoIBAQCfc9H01VPnKl+khGaen7XGo1VJ8PVAS7B/SfA67rvj
        c/DsPjKh9z6Lta/M0geDlQ2/GhkHi515mkOJGYXMfLfKu2sxAoKWeLO53GQa8h80
        JY5A9+hCwd5x7g9hdq//byj1e/tJKO4vWgHhhzbmlYizZUo+8Yyprq7902ZK7YGr
        lbkXieOjZz4AUl+ZqQJ0Q4E5pj+ZvGewXJKsPa/HM30elYcq+AXEgmeANc3hZ0lB
        /DCuOMF0hvFKWpHPnOYvsNWY0XiRdV7kZXmxDsGblbRQnTBZzhgaYSLWo6iI4LX+
        SBumAGpSNrsnXfdy9GJ6XMK+vmgfyjSKqReq0fTFDAjDAgMBAAGjaTBnMB0GA1Ud
        DgQWBBTtBMjtA0NWXvvGvmu1wEBWAwQ0jTAfBgNVHSMEGDAWgBTtBMjtA0NWXvvG
        vmu1wEBWAwQ0jTAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9z
        dDANBgkqhkiG9w0BAQUFAAOCAQEAXZzKT1PJCF7ulz4B5G0K9uzMd/WRZoAFAFwe
        16hGLHiyqMZZobJ32YGaAVBDg+nE/ya8F81JemvozD7/dCjII+B6oYrPG0TQeUck
        VDFy0jKb5FejvT2cbi+v0UC4Obtb54BzVU8qAc2YmfKYgDa1CAcRKIGZuA5CrrJE
        tcpCLA1BELhl1tB7PxCJfT89QWeSPD8bX8JSduGBprALWtJvaZsOVdnHSQlvLzWH
        ZSxKQMGwOg2Hxk2KY3qW8a9iCdj3S2+LLbMW5pf/gwnb04V3MT+OTvNQC5RyLFWL
        2qKpCkdCb7lX96FoRZ5sOtLX7tG5D/1KvOYbdFFSN/2e18mK9A==
        -----END CERTIFICATE-----
        """

    /// ECDSA with SHA-1.
    static let ecSHA1 = """
        -----BEGIN CERTIFICATE-----
        MIIBlDCCATqgAwIBAgIUcXtv5lYcfw2Pq7GjapNPo0ksMZ0wCQYHKoZIzj0EATAU
        MRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYxMTIzMTg0NjI4WhgPMjEyNjEwMzAx
        ODQ2MjhaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49
        AwEHA0IABJunGbP59IF7nFknb2DCSshnn2/ra1VnmrIPnt7Rg0lJU92QGHN5nAwg
        z/nFtO9kxOHoBKh5gew52jpPqJxB7a6jaTBnMB0GA1UdDgQWBBSl3H6S2VfjLIwr
        ZIDCN+O+AeuaXjAfBgNVHSMEGDAWgBSl3H6S2VfjLIwrZIDCN+O+AeuaXjAPBgNV
        HRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAJBgcqhkjOPQQBA0kA
        MEYCIQC8scpy6wNqQ5hMbM+YBpqQH8qXyL75cTYWuX2dGp4I2gIhAN4++c8pSyx4
        5lqT8PGDAxwB48wqCRKbntb6gimxGyI5
        -----END CERTIFICATE-----
        """

    /// RSA with 1,024 bits.
    static let rsa1024 = """
        -----BEGIN CERTIFICATE-----
        MIICHDCCAYWgAwIBAgIUUzizsFv6vxkHjE/rKsx7NvAKjk0wDQYJKoZIhvcNAQEL
        BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE4NDYyOFoYDzIxMjYx
        MDMwMTg0NjI4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEB
        BQADgY0AMIGJAoGBAOnoeNR0bXza4lfhIoX8BdTaJ5IsDggtfJaSw0BPgcqJYsN+
        QcXwqOguO0xyPWgioGQbafI0MPp8IWaabn+py5TqMHp5SGekzrE4VyAUvBlEYtdK
        XaZoyRD5fijdz6R6TKw0YE54Z+HZevYo0Bw9fmF5FVfXxAjJ2CBTipN+zjbLAgMB
        AAGjaTBnMB0GA1UdDgQWBBTlHKaaTPalc1FzJof5o7erypg2uTAfBgNVHSMEGDAW
        gBTlHKaaTPalc1FzJof5o7erypg2uTAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQN
        MAuCCWxvY2FsaG9zdDANBgkqhkiG9w0BAQsFAAOBgQA7IoypeZlgpfcwIHWFzI9m
        GfuRnvAXmGHIvOzQVZWE51c9+6/E5mCrAsCu1qs+g859IurghkHYVJbbZgir6mbW
        3sOb2LVI9m13ljw1Iq6c0GuzpKILrUnNy9+mhiiLehSVaGcwAy2KhqZmXCv6Brwf
        AHy3wLCi1YOxqv+t4XqW3g==
        -----END CERTIFICATE-----
        """

    /// The private key of ``good``, which opens nothing but these tests.
    static let goodKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7ZagvIJoGjq5P
        h4h/Yg42LRD6kNiS+uijxcWUQDFNjmzArwU1/ylBXw+icRyVtZqcjLB9swGDtawF
        aXOd9IYVKwGpgA3jmJD52CDzWguFcYEbA8Rwqx/orPj5whq62px5jKfODmbLXR62
        uWXY609IStSuMN8dpRNYzkCvvcugvn2oHRitHITaOQNPbeW2bGXXPzTuvXnUIuR0
        C/DILP5TCGn5IhNHfBO7USgUZ1nia1oXuEMnGN7ZegWhg7ruKh0HgJRyLZCFj/zA
        n8zfQZhDSVEzXkV5cginBRDd71IuiDn7mfWb737exGp5ruwB+8bQWiGOteAgTXMl
        g1169P6vAgMBAAECggEAQ4uCsWno2pA3GAdcFb38LV7VDduDlIbHr7ArZSI2IyRA
        4rqzACF2d0+STRTEHtoUXnT/cG9DDnw/ArxdpgNrCNo1gSjc2Lo3FzbluZEtMe4V
        gO08svebSrx+CVgDVnJRkCY4nbbnKknoNihhI2y9aOs/+YE4CnFjpdDB1BZu/QLN
        8W9pnXVTPqqN5+IxM3b6CY3nlvXDf2YpLN1A/H8rrCAjkAQ5HrdEnIyax8sGCkVO
        lVhWGOsBy9dPZIL6rxT+BxalVPgU4rwsCW8264+okNiMRw+NpmXbujTNzV+Vjpwm
        vtfwqrAmTR07NILpHCTHoITWhqop8v5RdRp9N35uMQKBgQDrGvu56iyakylFX+gR
        wqJPQ5E/7+BLsdah5E7zAvqx6WNNpWxRL8wufRFiQSP2UNqUTvlAHQ80B6H+MpkQ
        18A8NcVj7LHy9dxEXZ6U4Cc1+L9PRLp8zRsRbBj5sznaz5YfOdw5bclqG3kD4Rbx
        aUXRD6yKjFsglEKukRY0B2w4YwKBgQDMDTwghiEhe7Ca/cMRpGopTE4qAKX4Qn0Q
        stMwFHsaHQFXBTpqsJ6gxlTZC+E0TcCfAERLs29xp4BMUUL51AF7E8nWSzS4FROk
        58rKKY67f7HxHeoGHxzVMz5eGzJH5rKVOtSQWOHnRo/H8KKU+VwIucJBmDS5YP5B
        ttMjUUrERQKBgQCFE7j4+zxUIohx5F+P7gPBqhVFg5oKPpem+3xUwZL1sY2sHb66
        FbwVdGWqoASjIBEZcbpUOB6q7McdA7bwea8uZaFddlUjmVccu4FP87E+M5bWX6jP
        i6mOqwlYDcLpwCbRdgbZ2vLvRK2zLG24KEaEl8KqidfrEQDNnwJaYPk40QKBgFRu
        zYhvt9nRApy/kC4GqF76UgWTSxnU+Ucll7l3YBDIG7vUT/3Bo4HHT2iYP9GSsreY
        NqpUTzLqKm5p2ZrinNI+t+/SIrhhEEXWG9VXKNZw2kJ5LFLoINgfYhkyi7Wwwgh5
        1Wb9QEygp/IFomCeZfS+WKEnx/lFJzAt5GPiyVs5AoGAMo5qmqoDq4/ns81akZYx
        U5K/GXQGHGsc7MiZP45VGGAMwQygaC011ou1mGsM6K8dJNlDTglkrkuwq5H9PibH
        eQoTR5PwFGQoTagbSdAqK+gJ9XrRlJmNcA1C844Tgzu6ToF6RE9QswbzOsxUIlR5
        utaU6U1OdQWnVs6LfEY4kBU=
        -----END PRIVATE KEY-----
        """

    /// The private key of ``noName``, which opens nothing but these tests.
    static let noNameKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDG0kfUFV1mmkK0
        F2yc136P0mnbhs9I99m2e2PLo9IaDUgKtZUz2dxNjFIzNX/YKZgf7Y1EL0tbzUOW
        a6uHHu4TlcGhl0Wm1QOTKiR26AcL7Pr8MoqoYvC7bXVdc9a0ya9FRehyEdMabUqg
        4BhTZ/jYLf1ZpfpvjLvybPr2u6fpCRjb8BaSKkHchcJ7LI0mqKJUJ8PUSgr5LyNH
        FycfFhkKyvcKorY/GMgRNTPMU1C5a1n1ABZld62nSR0lofPYsgeseptMxPqcVgge
        LRZ0qzeEHSm96Zaetkg0b1RAJrWhl38JpgkfktVe6iHOxtD9Ez/vwobKPtHUmEZz
        TtcM/i/lAgMBAAECggEAQTy+VNitzPzQ5kbJXK1Y2dgw49dYLJkm1rmmBSu7xNCW
        0uzCCEF0B/4C+sqTKFp9j/xiXf0mvPidNL4fijab59E7t8nrENLUWXV6gYmgxkj8
        EcSDury8QMOpvwBDcw66dAB8RPGUUxeJZUAiuztia4yrlL7hbbi/8svPjSYF8nB1
        iO6JqItEkJxVXBoViMAgyHJxOyeB00v9aLqQU0c5FQyUV63O/2TBFCaP6XWSrOSC
        52TGSQGTYLoqCKi096m52FS36dWeRFAN5eNwa8gpC9GAmIu69lBItAZTnJ4GIbON
        kMy8Ke7IrAcHl0b05E+bYqA7vgr4/J/lurV3y1LwAQKBgQDrM+sr9uGSuWUNrwK6
        yP9CRp/gcM+U6n8Qe/AyaGwUh8VfXRRfkMcmX+asXfwihda038dMxVVLL92D84+J
        R/1DmhcyocO5Fo7BAJf+N49TitUu+MeJwtX5hFqCxbvS3CK3NHTUGEAvBtvKE0ee
        i0m6sHrMtmdIyw4cNB01asc7iwKBgQDYZtPu5zmrwfllpkPlwrywtnHeRjtCT0kE
        c6DxgEne14afoJP5MMAaKHQx6C4VaQTWdwkBdiLPArAKr5Aop/WzSRJ0HSEo1Tob
        zoTUP3ukf3D5gfBLT41FfmDq94p43qyZTgWfzm484cYb8Ws+Hq+ejc78ALbhU+j+
        gGTW9SJwTwKBgQCrSB3k4F8ZKKXstxx3xdQOAbyAB+dDfRmXeYpMSzsaIF2duv0R
        My+0RHaJ48+vnGPlSGmtAK/Cl1Lrur02rhRD3L00BBWyfjjrWHFXkkJwBlSFZmp5
        akfE85uuTC0hu2oUnMDPi/GBza7VlAC99pV0vPxQhCznF+hopZL3yZDZTQKBgER+
        L2AzUV6as5xHxr/HJj/sTxgiNIllXOAK1Qr7JuZgYxzND2jU1EizOyu8qDFgnwZe
        gLw0rwnEeQG41bD4kFzhqPSVb7Rj4NOCRyqCuVi0eYaPaQX9NOKlAHn+RZbCK/EN
        79vH075zW2fmvqHXxpAxpCzA8SFalKlQ7BnZVsAjAoGBAM9u10KMKiaPeTrV5e+T
        SXlJCPoVWT9Il82pf5uTU+WqLZtUIkY5uk8w93eNEkJ9t1o4UpMgnSWo54oBELuk
        QUlS34x0zk2Fsh1AU/SNPWoYiEFiBOAyJZEicgh8Cea8xZ95TM3jmPvxpbRuVW2p
        47X58sUwIkjT5K77ENFRxl42
        -----END PRIVATE KEY-----
        """

    static func parsed(_ pem: String) throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
    }
}
