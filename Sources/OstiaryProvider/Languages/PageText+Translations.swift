extension PageText {
    /// A text in every language of the pages.
    struct Translations: Sendable {
        var english: String
        var german: String
        var french: String
        var spanish: String
        var japanese: String

        init(_ english: String, de german: String, fr french: String, es spanish: String, ja japanese: String) {
            self.english = english
            self.german = german
            self.french = french
            self.spanish = spanish
            self.japanese = japanese
        }
    }

    /// The table of the pages' texts.
    var translations: Translations {
        switch self {
        case .developmentMark:
            Translations("DEVELOPMENT", de: "ENTWICKLUNG", fr: "DÉVELOPPEMENT", es: "DESARROLLO", ja: "開発用")
        case .footer:
            Translations(
                "For development only. Do not type a password that you use anywhere else.",
                de: "Nur für die Entwicklung. Geben Sie kein Passwort ein, das Sie anderswo verwenden.",
                fr: "Pour le développement uniquement. Ne saisissez aucun mot de passe que vous utilisez ailleurs.",
                es: "Solo para desarrollo. No escriba una contraseña que use en otro sitio.",
                ja: "開発専用です。ほかで使用しているパスワードは入力しないでください。"
            )
        case .error:
            Translations("Error:", de: "Fehler:", fr: "Erreur :", es: "Error:", ja: "エラー:")
        case .continuing:
            Translations("Continue", de: "Weiter", fr: "Continuer", es: "Continuar", ja: "続ける")
        case .cancel:
            Translations("Cancel", de: "Abbrechen", fr: "Annuler", es: "Cancelar", ja: "キャンセル")
        case .toContinue:
            Translations(
                "to continue to {}",
                de: "um mit {} fortzufahren",
                fr: "pour continuer vers {}",
                es: "para continuar en {}",
                ja: "{} に進みます"
            )
        case .signedInAs:
            Translations(
                "You are signed in as {}.",
                de: "Sie sind als {} angemeldet.",
                fr: "Vous êtes connecté en tant que {}.",
                es: "Ha iniciado sesión como {}.",
                ja: "{} としてログインしています。"
            )
        case .signIn:
            Translations("Sign in", de: "Anmelden", fr: "Se connecter", es: "Iniciar sesión", ja: "ログイン")
        case .userName:
            Translations("User name", de: "Benutzername", fr: "Nom d’utilisateur", es: "Nombre de usuario", ja: "ユーザー名")
        case .password:
            Translations("Password", de: "Passwort", fr: "Mot de passe", es: "Contraseña", ja: "パスワード")
        case .withoutPassword:
            Translations(
                "This provider signs in every user without a password.",
                de: "Dieser Anbieter meldet alle ohne Passwort an.",
                fr: "Ce fournisseur connecte chaque utilisateur sans mot de passe.",
                es: "Este proveedor inicia la sesión de cualquier usuario sin contraseña.",
                ja: "このプロバイダーでは、パスワードなしでログインできます。"
            )
        case .wrongPassword:
            Translations(
                "The name or the password is wrong.",
                de: "Der Name oder das Passwort ist falsch.",
                fr: "Le nom ou le mot de passe est incorrect.",
                es: "El nombre o la contraseña no son correctos.",
                ja: "ユーザー名またはパスワードが正しくありません。"
            )
        case .unknownUser:
            Translations(
                "There is no user with this name.",
                de: "Diesen Benutzernamen gibt es nicht.",
                fr: "Aucun utilisateur ne porte ce nom.",
                es: "No existe ningún usuario con ese nombre.",
                ja: "このユーザー名は登録されていません。"
            )
        case .wrongPasswordsMinute:
            Translations(
                "Too many wrong passwords for this name. Try again in a minute.",
                de: "Zu viele falsche Passwörter für diesen Namen. Versuchen Sie es in einer Minute noch einmal.",
                fr: "Trop de mots de passe incorrects pour ce nom. Réessayez dans une minute.",
                es: "Demasiadas contraseñas incorrectas para este nombre. Inténtelo de nuevo en un minuto.",
                ja: "このユーザー名で誤ったパスワードが多すぎます。1 分後にもう一度お試しください。"
            )
        case .wrongPasswordsMinutes:
            Translations(
                "Too many wrong passwords for this name. Try again in {} minutes.",
                de: "Zu viele falsche Passwörter für diesen Namen. Versuchen Sie es in {} Minuten noch einmal.",
                fr: "Trop de mots de passe incorrects pour ce nom. Réessayez dans {} minutes.",
                es: "Demasiadas contraseñas incorrectas para este nombre. Inténtelo de nuevo en {} minutos.",
                ja: "このユーザー名で誤ったパスワードが多すぎます。{} 分後にもう一度お試しください。"
            )
        case .enterOneTimeCode:
            Translations(
                "Enter your one-time code",
                de: "Einmalcode eingeben",
                fr: "Saisissez votre code à usage unique",
                es: "Introduzca su código de un solo uso",
                ja: "ワンタイムコードを入力"
            )
        case .oneTimeCode:
            Translations(
                "Code from your authenticator app",
                de: "Code aus Ihrer Authenticator-App",
                fr: "Code de votre application d’authentification",
                es: "Código de su aplicación de autenticación",
                ja: "認証アプリのコード"
            )
        case .signingInAs:
            Translations(
                "You are signing in as {}.",
                de: "Sie melden sich als {} an.",
                fr: "Vous vous connectez en tant que {}.",
                es: "Está iniciando sesión como {}.",
                ja: "{} としてログインします。"
            )
        case .wrongCode:
            Translations(
                "The code is wrong, too old or used.",
                de: "Der Code ist falsch, zu alt oder schon verwendet.",
                fr: "Le code est incorrect, trop ancien ou déjà utilisé.",
                es: "El código es incorrecto, ha caducado o ya se ha usado.",
                ja: "コードが正しくないか、期限切れか、使用済みです。"
            )
        case .wrongCodesMinute:
            Translations(
                "Too many wrong codes. Try again in a minute.",
                de: "Zu viele falsche Codes. Versuchen Sie es in einer Minute noch einmal.",
                fr: "Trop de codes incorrects. Réessayez dans une minute.",
                es: "Demasiados códigos incorrectos. Inténtelo de nuevo en un minuto.",
                ja: "誤ったコードが多すぎます。1 分後にもう一度お試しください。"
            )
        case .wrongCodesMinutes:
            Translations(
                "Too many wrong codes. Try again in {} minutes.",
                de: "Zu viele falsche Codes. Versuchen Sie es in {} Minuten noch einmal.",
                fr: "Trop de codes incorrects. Réessayez dans {} minutes.",
                es: "Demasiados códigos incorrectos. Inténtelo de nuevo en {} minutos.",
                ja: "誤ったコードが多すぎます。{} 分後にもう一度お試しください。"
            )
        case .chooseAccount:
            Translations(
                "Choose an account",
                de: "Konto auswählen",
                fr: "Choisissez un compte",
                es: "Elija una cuenta",
                ja: "アカウントを選択"
            )
        case .signedInState:
            Translations("Signed in", de: "Angemeldet", fr: "Connecté", es: "Sesión iniciada", ja: "ログイン中")
        case .signedOutState:
            Translations("Signed out", de: "Abgemeldet", fr: "Déconnecté", es: "Sesión cerrada", ja: "ログアウト済み")
        case .forget:
            Translations("Forget", de: "Entfernen", fr: "Oublier", es: "Olvidar", ja: "削除")
        case .forgetAccount:
            Translations("Forget {}", de: "{} entfernen", fr: "Oublier {}", es: "Olvidar {}", ja: "{} を削除")
        case .anotherAccount:
            Translations(
                "Use another account",
                de: "Anderes Konto verwenden",
                fr: "Utiliser un autre compte",
                es: "Usar otra cuenta",
                ja: "別のアカウントを使用"
            )
        case .passkeys:
            Translations("Passkeys", de: "Passkeys", fr: "Clés d’accès", es: "Claves de acceso", ja: "パスキー")
        case .signInWithPasskey:
            Translations(
                "Sign in with a passkey",
                de: "Mit einem Passkey anmelden",
                fr: "Se connecter avec une clé d’accès",
                es: "Iniciar sesión con una clave de acceso",
                ja: "パスキーでログイン"
            )
        case .passkeyNotUsed:
            Translations(
                "The passkey was not used. Try again, or sign in in another way.",
                de: "Der Passkey wurde nicht verwendet. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
                fr: "La clé d’accès n’a pas été utilisée. Réessayez ou connectez-vous autrement.",
                es: "No se ha usado la clave de acceso. Inténtelo de nuevo o inicie sesión de otra forma.",
                ja: "パスキーは使用されませんでした。もう一度試すか、別の方法でログインしてください。"
            )
        case .noPasskey:
            Translations(
                "You have no passkey yet. It signs you in by fingerprint, face or screen lock.",
                de: "Sie haben noch keinen Passkey. Er meldet Sie mit Fingerabdruck, Gesicht oder Displaysperre an.",
                fr: "Vous n’avez pas encore de clé d’accès. Elle vous connecte par empreinte digitale, visage ou "
                    + "verrouillage de l’écran.",
                es: "Todavía no tiene ninguna clave de acceso. Con ella inicia sesión con la huella, la cara o el "
                    + "bloqueo de pantalla.",
                ja: "パスキーはまだありません。パスキーがあれば、指紋、顔、または画面ロックでログインできます。"
            )
        case .passkeyNumber:
            Translations("Passkey {}", de: "Passkey {}", fr: "Clé d’accès {}", es: "Clave de acceso {}", ja: "パスキー {}")
        case .backedUp:
            Translations("Backed up", de: "Gesichert", fr: "Sauvegardée", es: "Con copia de seguridad", ja: "バックアップ済み")
        case .remove:
            Translations("Remove", de: "Entfernen", fr: "Supprimer", es: "Eliminar", ja: "削除")
        case .removePasskey:
            Translations(
                "Remove passkey {}",
                de: "Passkey {} entfernen",
                fr: "Supprimer la clé d’accès {}",
                es: "Eliminar la clave de acceso {}",
                ja: "パスキー {} を削除"
            )
        case .addPasskey:
            Translations(
                "Add a passkey",
                de: "Passkey hinzufügen",
                fr: "Ajouter une clé d’accès",
                es: "Añadir una clave de acceso",
                ja: "パスキーを追加"
            )
        case .passkeyUnsupported:
            Translations(
                "This browser cannot add a passkey: it is too old, or scripts are off.",
                de: "Dieser Browser kann keinen Passkey hinzufügen: Er ist zu alt, oder Skripte sind ausgeschaltet.",
                fr: "Ce navigateur ne peut pas ajouter de clé d’accès : il est trop ancien, ou les scripts sont "
                    + "désactivés.",
                es: "Este navegador no puede añadir una clave de acceso: es demasiado antiguo o los scripts están "
                    + "desactivados.",
                ja: "このブラウザーではパスキーを追加できません。古すぎるか、スクリプトが無効になっています。"
            )
        case .passkeyNotAdded:
            Translations(
                "No passkey was added. Try again.",
                de: "Es wurde kein Passkey hinzugefügt. Versuchen Sie es noch einmal.",
                fr: "Aucune clé d’accès n’a été ajoutée. Réessayez.",
                es: "No se ha añadido ninguna clave de acceso. Inténtelo de nuevo.",
                ja: "パスキーは追加されませんでした。もう一度お試しください。"
            )
        case .passkeyOnDevice:
            Translations(
                "This device has a passkey already.",
                de: "Dieses Gerät hat schon einen Passkey.",
                fr: "Cet appareil a déjà une clé d’accès.",
                es: "Este dispositivo ya tiene una clave de acceso.",
                ja: "このデバイスにはすでにパスキーがあります。"
            )
        case .passkeyUnknown:
            Translations(
                "This passkey is not known here. Sign in in another way.",
                de: "Dieser Passkey ist hier nicht bekannt. Melden Sie sich anders an.",
                fr: "Cette clé d’accès n’est pas connue ici. Connectez-vous autrement.",
                es: "Esta clave de acceso no se conoce aquí. Inicie sesión de otra forma.",
                ja: "このパスキーは登録されていません。別の方法でログインしてください。"
            )
        case .passkeyUnverified:
            Translations(
                "Your device did not check that it is you. Set up a screen lock.",
                de: "Ihr Gerät hat nicht geprüft, ob Sie es sind. Richten Sie eine Displaysperre ein.",
                fr: "Votre appareil n’a pas vérifié que c’est vous. Configurez un verrouillage de l’écran.",
                es: "Su dispositivo no ha comprobado que es usted. Configure un bloqueo de pantalla.",
                ja: "デバイスで本人確認が行われませんでした。画面ロックを設定してください。"
            )
        case .passkeyTaken:
            Translations(
                "You have added this passkey before.",
                de: "Sie haben diesen Passkey schon hinzugefügt.",
                fr: "Vous avez déjà ajouté cette clé d’accès.",
                es: "Ya ha añadido esta clave de acceso.",
                ja: "このパスキーはすでに追加されています。"
            )
        case .tooManyPasskeys:
            Translations(
                "You have {} passkeys. Remove one first.",
                de: "Sie haben {} Passkeys. Entfernen Sie zuerst einen.",
                fr: "Vous avez {} clés d’accès. Supprimez-en d’abord une.",
                es: "Tiene {} claves de acceso. Elimine una primero.",
                ja: "パスキーが {} 個あります。先に 1 個削除してください。"
            )
        case .passkeyCopied:
            Translations(
                "A copy of this passkey may be in use. Sign in in another way, and remove it.",
                de: "Eine Kopie dieses Passkeys ist möglicherweise in Gebrauch. Melden Sie sich anders an, und "
                    + "entfernen Sie ihn.",
                fr: "Une copie de cette clé d’accès est peut-être utilisée. Connectez-vous autrement et supprimez-la.",
                es: "Puede que se esté usando una copia de esta clave de acceso. Inicie sesión de otra forma y "
                    + "elimínela.",
                ja: "このパスキーの複製が使用されている可能性があります。別の方法でログインし、このパスキーを削除してください。"
            )
        case .passkeyRefused:
            Translations(
                "The passkey was not accepted. Try again.",
                de: "Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.",
                fr: "La clé d’accès n’a pas été acceptée. Réessayez.",
                es: "No se ha aceptado la clave de acceso. Inténtelo de nuevo.",
                ja: "パスキーは受け付けられませんでした。もう一度お試しください。"
            )
        case .allowAccess:
            Translations(
                "Allow access",
                de: "Zugriff erlauben",
                fr: "Autoriser l’accès",
                es: "Permitir el acceso",
                ja: "アクセスの許可"
            )
        case .allowAccessQuestion:
            Translations(
                "Allow access?",
                de: "Zugriff erlauben?",
                fr: "Autoriser l’accès ?",
                es: "¿Permitir el acceso?",
                ja: "アクセスを許可しますか?"
            )
        case .asksTo:
            Translations(
                "{} asks to:",
                de: "{} möchte:",
                fr: "{} souhaite :",
                es: "{} solicita:",
                ja: "{} が次の許可を求めています:"
            )
        case .allow:
            Translations("Allow", de: "Erlauben", fr: "Autoriser", es: "Permitir", ja: "許可")
        case .deny:
            Translations("Deny", de: "Ablehnen", fr: "Refuser", es: "Denegar", ja: "拒否")
        case .homePage:
            Translations("Home page", de: "Startseite", fr: "Page d’accueil", es: "Página principal", ja: "ホームページ")
        case .privacyPolicy:
            Translations(
                "Privacy policy",
                de: "Datenschutzerklärung",
                fr: "Politique de confidentialité",
                es: "Política de privacidad",
                ja: "プライバシーポリシー"
            )
        case .terms:
            Translations(
                "Terms of service",
                de: "Nutzungsbedingungen",
                fr: "Conditions d’utilisation",
                es: "Condiciones del servicio",
                ja: "利用規約"
            )
        case .knowYou:
            Translations(
                "Know who you are",
                de: "Wissen, wer Sie sind",
                fr: "Savoir qui vous êtes",
                es: "Saber quién es usted",
                ja: "あなたが誰であるかの確認"
            )
        case .seeProfile:
            Translations(
                "See your name and profile",
                de: "Ihren Namen und Ihr Profil sehen",
                fr: "Voir votre nom et votre profil",
                es: "Ver su nombre y su perfil",
                ja: "名前とプロフィールの表示"
            )
        case .seeEmail:
            Translations(
                "See your e-mail address",
                de: "Ihre E-Mail-Adresse sehen",
                fr: "Voir votre adresse e-mail",
                es: "Ver su dirección de correo electrónico",
                ja: "メールアドレスの表示"
            )
        case .seeAddress:
            Translations(
                "See your postal address",
                de: "Ihre Postanschrift sehen",
                fr: "Voir votre adresse postale",
                es: "Ver su dirección postal",
                ja: "住所の表示"
            )
        case .seePhone:
            Translations(
                "See your telephone number",
                de: "Ihre Telefonnummer sehen",
                fr: "Voir votre numéro de téléphone",
                es: "Ver su número de teléfono",
                ja: "電話番号の表示"
            )
        case .staySignedInAway:
            Translations(
                "Stay signed in when you are away",
                de: "Angemeldet bleiben, wenn Sie nicht da sind",
                fr: "Rester connecté en votre absence",
                es: "Mantener la sesión cuando no esté",
                ja: "不在時のログイン状態の維持"
            )
        case .useAtResource:
            Translations(
                "Use these permissions at {}",
                de: "Diese Berechtigungen bei {} nutzen",
                fr: "Utiliser ces autorisations auprès de {}",
                es: "Usar estos permisos en {}",
                ja: "{} でのこれらの権限の使用"
            )
        case .connectDevice:
            Translations(
                "Connect a device",
                de: "Gerät verbinden",
                fr: "Connecter un appareil",
                es: "Conectar un dispositivo",
                ja: "デバイスの接続"
            )
        case .connectDeviceQuestion:
            Translations(
                "Connect this device?",
                de: "Dieses Gerät verbinden?",
                fr: "Connecter cet appareil ?",
                es: "¿Conectar este dispositivo?",
                ja: "このデバイスを接続しますか?"
            )
        case .deviceShowsCode:
            Translations(
                "It shows the code {}. Deny if you do not see that code in front of you.",
                de: "Es zeigt den Code {}. Lehnen Sie ab, wenn Sie diesen Code nicht vor sich sehen.",
                fr: "Il affiche le code {}. Refusez si vous ne voyez pas ce code devant vous.",
                es: "Muestra el código {}. Deniegue si no ve ese código delante de usted.",
                ja: "デバイスにはコード {} が表示されています。手元にこのコードが見えない場合は拒否してください。"
            )
        case .compareCode:
            Translations(
                "Compare the code with the one that your device shows.",
                de: "Vergleichen Sie den Code mit dem auf Ihrem Gerät.",
                fr: "Comparez le code avec celui qu’affiche votre appareil.",
                es: "Compare el código con el que muestra su dispositivo.",
                ja: "デバイスに表示されているコードと一致するか確認してください。"
            )
        case .enterCode:
            Translations(
                "Enter the code that your device shows.",
                de: "Geben Sie den Code ein, den Ihr Gerät zeigt.",
                fr: "Saisissez le code qu’affiche votre appareil.",
                es: "Introduzca el código que muestra su dispositivo.",
                ja: "デバイスに表示されているコードを入力してください。"
            )
        case .code:
            Translations("Code", de: "Code", fr: "Code", es: "Código", ja: "コード")
        case .nothingAllowed:
            Translations(
                "Nothing was allowed. You can close this page.",
                de: "Es wurde nichts erlaubt. Sie können diese Seite schließen.",
                fr: "Rien n’a été autorisé. Vous pouvez fermer cette page.",
                es: "No se ha permitido nada. Puede cerrar esta página.",
                ja: "何も許可されませんでした。このページを閉じてかまいません。"
            )
        case .notSignedInNothingAllowed:
            Translations(
                "You did not sign in, so nothing was allowed.",
                de: "Sie haben sich nicht angemeldet, also wurde nichts erlaubt.",
                fr: "Vous ne vous êtes pas connecté : rien n’a été autorisé.",
                es: "No ha iniciado sesión, así que no se ha permitido nada.",
                ja: "ログインしなかったため、何も許可されませんでした。"
            )
        case .deviceDone:
            Translations(
                "Done. Go back to your device.",
                de: "Fertig. Kehren Sie zu Ihrem Gerät zurück.",
                fr: "C’est fait. Revenez à votre appareil.",
                es: "Listo. Vuelva a su dispositivo.",
                ja: "完了しました。デバイスに戻ってください。"
            )
        case .signOut:
            Translations("Sign out", de: "Abmelden", fr: "Se déconnecter", es: "Cerrar sesión", ja: "ログアウト")
        case .signOutQuestion:
            Translations("Sign out?", de: "Abmelden?", fr: "Se déconnecter ?", es: "¿Cerrar sesión?", ja: "ログアウトしますか?")
        case .asksToSignOut:
            Translations(
                "{} asks you to sign out.",
                de: "{} bittet Sie, sich abzumelden.",
                fr: "{} vous demande de vous déconnecter.",
                es: "{} le pide que cierre la sesión.",
                ja: "{} がログアウトを求めています。"
            )
        case .staySignedIn:
            Translations(
                "Stay signed in",
                de: "Angemeldet bleiben",
                fr: "Rester connecté",
                es: "Mantener la sesión",
                ja: "ログインしたままにする"
            )
        case .signedOut:
            Translations("Signed out", de: "Abgemeldet", fr: "Déconnecté", es: "Sesión cerrada", ja: "ログアウト済み")
        case .youAreSignedOut:
            Translations(
                "You are signed out.",
                de: "Sie sind abgemeldet.",
                fr: "Vous êtes déconnecté.",
                es: "Ha cerrado la sesión.",
                ja: "ログアウトしました。"
            )
        case .youStaySignedIn:
            Translations(
                "You stay signed in.",
                de: "Sie bleiben angemeldet.",
                fr: "Vous restez connecté.",
                es: "La sesión sigue abierta.",
                ja: "ログインしたままです。"
            )
        case .signOutOfApp:
            Translations(
                "Sign-out of an app",
                de: "Abmeldung einer App",
                fr: "Déconnexion d’une application",
                es: "Cierre de sesión de una aplicación",
                ja: "アプリのログアウト"
            )
        case .backToApp:
            Translations(
                "Back to the app",
                de: "Zurück zur App",
                fr: "Retour à l’application",
                es: "Volver a la aplicación",
                ja: "アプリに戻る"
            )
        case .answerReady:
            Translations(
                "You are signed in. The app gets the answer when you continue.",
                de: "Sie sind angemeldet. Die App erhält die Antwort, wenn Sie fortfahren.",
                fr: "Vous êtes connecté. L’application reçoit la réponse lorsque vous continuez.",
                es: "Ha iniciado sesión. La aplicación recibe la respuesta cuando continúe.",
                ja: "ログインしました。続けるとアプリに応答が送られます。"
            )
        case .requestFailed:
            Translations(
                "The request failed",
                de: "Die Anfrage ist fehlgeschlagen",
                fr: "La demande a échoué",
                es: "La solicitud ha fallado",
                ja: "リクエストに失敗しました"
            )
        case .notYourMistake:
            Translations(
                "The app sent a request that this provider does not accept. You did nothing wrong.",
                de: "Die App hat eine Anfrage geschickt, die dieser Anbieter nicht annimmt. Sie haben "
                    + "nichts falsch gemacht.",
                fr: "L’application a envoyé une demande que ce fournisseur n’accepte pas. Vous n’avez "
                    + "rien fait de mal.",
                es: "La aplicación ha enviado una solicitud que este proveedor no acepta. Usted no ha "
                    + "hecho nada mal.",
                ja: "アプリが、このプロバイダーで受け付けられないリクエストを送信しました。あなたの操作に誤りはありません。"
            )
        case .forDeveloper:
            Translations(
                "For the app's developer",
                de: "Für die Entwickler der App",
                fr: "Pour le développeur de l’application",
                es: "Para el desarrollador de la aplicación",
                ja: "アプリの開発者の方へ"
            )
        case .goBack:
            Translations(
                "Go back to the app that sent you here and try again.",
                de: "Kehren Sie zu der App zurück, die Sie hierher geschickt hat, und versuchen Sie es noch einmal.",
                fr: "Revenez à l’application qui vous a envoyé ici et réessayez.",
                es: "Vuelva a la aplicación que le ha traído aquí e inténtelo de nuevo.",
                ja: "元のアプリに戻って、もう一度お試しください。"
            )
        case .appMistake:
            Translations(
                "The app made a mistake.",
                de: "Die App hat einen Fehler gemacht.",
                fr: "L’application a fait une erreur.",
                es: "La aplicación ha cometido un error.",
                ja: "アプリに誤りがあります。"
            )
        case .pageTooOld:
            Translations(
                "This page is too old. Go back to the app and start again.",
                de: "Diese Seite ist zu alt. Kehren Sie zur App zurück und beginnen Sie von vorn.",
                fr: "Cette page est trop ancienne. Revenez à l’application et recommencez.",
                es: "Esta página ha caducado. Vuelva a la aplicación y empiece de nuevo.",
                ja: "このページは期限切れです。アプリに戻って最初からやり直してください。"
            )
        case .otherBrowser:
            Translations(
                "This page belongs to another browser, or cookies are turned off.",
                de: "Diese Seite gehört zu einem anderen Browser, oder Cookies sind ausgeschaltet.",
                fr: "Cette page appartient à un autre navigateur, ou les cookies sont désactivés.",
                es: "Esta página pertenece a otro navegador o las cookies están desactivadas.",
                ja: "このページは別のブラウザーのものか、Cookie が無効になっています。"
            )
        case .answeredBefore:
            Translations(
                "This page was answered before. Go back to the app and start again.",
                de: "Diese Seite wurde schon beantwortet. Kehren Sie zur App zurück und beginnen Sie von vorn.",
                fr: "Cette page a déjà reçu une réponse. Revenez à l’application et recommencez.",
                es: "Esta página ya se ha respondido. Vuelva a la aplicación y empiece de nuevo.",
                ja: "このページはすでに回答済みです。アプリに戻って最初からやり直してください。"
            )
        case .notSignedInAnyMore:
            Translations(
                "You are not signed in any more. Go back to the app and start again.",
                de: "Sie sind nicht mehr angemeldet. Kehren Sie zur App zurück und beginnen Sie von vorn.",
                fr: "Vous n’êtes plus connecté. Revenez à l’application et recommencez.",
                es: "Su sesión ha terminado. Vuelva a la aplicación y empiece de nuevo.",
                ja: "ログイン状態が終了しました。アプリに戻って最初からやり直してください。"
            )
        case .deviceCodeOld:
            Translations(
                "The code of your device is too old or used. Start again on the device.",
                de: "Der Code Ihres Geräts ist zu alt oder schon verwendet. Beginnen Sie am Gerät von vorn.",
                fr: "Le code de votre appareil est trop ancien ou déjà utilisé. Recommencez sur l’appareil.",
                es: "El código de su dispositivo ha caducado o ya se ha usado. Empiece de nuevo en el dispositivo.",
                ja: "デバイスのコードが期限切れか使用済みです。デバイスで最初からやり直してください。"
            )
        case .deviceCodeUsed:
            Translations(
                "The code of your device is used.",
                de: "Der Code Ihres Geräts ist schon verwendet.",
                fr: "Le code de votre appareil est déjà utilisé.",
                es: "El código de su dispositivo ya se ha usado.",
                ja: "デバイスのコードは使用済みです。"
            )
        case .noSuchPage:
            Translations(
                "There is no such page.",
                de: "Diese Seite gibt es nicht.",
                fr: "Cette page n’existe pas.",
                es: "Esta página no existe.",
                ja: "このページは存在しません。"
            )
        case .providerFailed:
            Translations(
                "The provider failed; try again.",
                de: "Beim Anbieter ist ein Fehler aufgetreten. Versuchen Sie es noch einmal.",
                fr: "Le fournisseur a rencontré une erreur. Réessayez.",
                es: "Se ha producido un error en el proveedor. Inténtelo de nuevo.",
                ja: "プロバイダーでエラーが発生しました。もう一度お試しください。"
            )
        case .formUnreadable:
            Translations(
                "The form cannot be read.",
                de: "Das Formular kann nicht gelesen werden.",
                fr: "Le formulaire est illisible.",
                es: "No se puede leer el formulario.",
                ja: "フォームを読み取れません。"
            )
        case .foreignForm:
            Translations(
                "The form does not come from this page.",
                de: "Das Formular stammt nicht von dieser Seite.",
                fr: "Le formulaire ne provient pas de cette page.",
                es: "El formulario no procede de esta página.",
                ja: "フォームがこのページのものではありません。"
            )
        }
    }
}
