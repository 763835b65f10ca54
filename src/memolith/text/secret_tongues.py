"""What a secret is called, and how it is told, in forty languages: words as data, and where a text has them.

Nothing here is a pattern for one language: `secret_context` joins any name, any connection and any value. No
`re` is in it, because the look before the scanner uses it too. Searching for each word would double the time
of a scan: the words of a text are compared with ours in one step, and one that is not ASCII is searched for
only if the text has its letters.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A kind and the words, as they stand in ASCII; `_` is a space. Behind a `password` any value may be meant;
# behind a `loose` word only what looks like one, because it means other things too; behind a `key` what is
# random, or long and mixed; behind a `pin` or `code` digits; behind a `pair` what follows a stroke.
_WORDS: tuple[tuple[str, str], ...] = (
    (
        "password",
        """passworte passworten kennwort kennworts kennwortes losungswort mot_de_passe mots_de_passe
        motdepasse phrase_de_passe mdp contrasena contrasenas contrasenya contrasinal senha senhas
        palavra_passe palavra-passe parola_d'ordine wachtwoord wachtwoorden wagwoord losenord losenordet
        adgangskode adgangskoden kodeord kodeordet passfrase haslo hasla haslem heslo hesla heslem
        heslu geslo gesla salasana salasanan salasanani salasanasi salasanamme salasananne
        tunnussana tunnuslause jelszo jelszava jelszavam jelszavunk jelszavad lozinka lozinke
        lozinku lozinkom zaporka zaporke zaporku sifre sifresi sifrem sifremiz sifreniz slaptazodis
        slaptazodi fjalekalimi fjalekalim pasahitza mat_khau sandi sandinya kata_laluan pasfhocal cyfrinair
        identified_by requirepass masterauth securestring        nenosiri parool parooli""",
    ),
    ("loose", "parola parole parolei parolasi parolam paroli parolu clave claves sifra sifru rahasia"),
    (
        "key",
        """schluessel clef clefs llave chave chaves chiave chiavi sleutel nyckel nyckeln avain klucz
        klucza kulcs kulcsa cheia cheie anahtar anahtari kunci segreto segredo secreto geheimnis
        jeton jetons hemlighet""",
    ),
    (
        "pin",
        """ovikoodi portkod deurcode doorcode pin pins pincode pinkod pinkode pinkodu pinkoodi pinem puk
        otp cvv cvc""",
    ),
    (
        "code",
        """code kod kodu kode koden codul codigo codice kood koodi combo combination combinacion kombination
        combinazione""",
    ),
    (
        "pair",
        "wifi wi-fi wlan ssid zugang zugangsdaten logowanie acceso acesso identifiants akun giris",
    ),
)
# The same for words of other letters, and how many letters may follow. What goes on for longer is a
# compound that names something else; a script without spaces has no endings.
_STEMS: tuple[tuple[str, int, str], ...] = (
    (
        "password",
        2,
        """passwört kennwört contraseña phrase_secrèt lösenord lösenfras lykilorð aðgangsorð hasło
        hasła haseł hasłem mật_khẩu mật_mã salasõna""",
    ),
    (
        "password",
        5,
        """jelszó jelszavá şifre slaptažod fjalëkalim парол лозинк құпиясөз συνθηματικ πασγουορντ პაროლ
        գաղտնաբառ סיסמ ססמ كلمة_المرور كلمة_السر كلمة_مرور كلمة_سر كلمه_السر الرقم_السري رمز_عبور
        رمز_ورود گذرواژه پسورد باسورد پاس_ورڈ پاسورڈ पासवर्ड कूटशब्द পাসওয়ার্ড கடவுச்சொல்
        పాస్‌వర్డ్ పాస్వర్డ్ ಪಾಸ್‌ವರ್ಡ್ પાસવર્ડ ਪਾਸਵਰਡ""",
    ),
    (
        "password",
        0,
        """密码 密碼 口令 通行码 パスワード パスコード パスフレーズ 暗証番号 合言葉 비밀번호 패스워드
        암호 비번 รหัสผ่าน พาสเวิร์ด ລະຫັດຜ່ານ ពាក្យសម្ងាត់ စကားဝှက်""",
    ),
    ("loose", 4, "κωδικ šifr шифр رمز parolă paroł parolę"),
    ("loose", 0, "รหัส 凭据 憑證"),
    (
        "key",
        3,
        """schlüssel clé nøkkel nøgle klíč kľúč ključ κλειδ ключ مفتاح توكن מפתח אסימון טוקן کلید توکن
        कुंजी टोकन khóa токен секрет""",
    ),
    (
        "key",
        0,
        "密钥 密鑰 秘钥 金钥 金鑰 令牌 キー 鍵 トークン シークレット 키 토큰 시크릿 คีย์ โทเค็น โทเคน กุญแจ",
    ),
    ("pin", 3, "пин пін türcode dörrkod kapukód"),
    ("pin", 0, "暗証 핀번호 门禁码"),
    ("code", 3, "código kód κωδικ код קוד كود کد कोड mã combinación"),
    ("code", 0, "コード 코드 码 碼 รหัส"),
    ("pair", 2, "логин учётк dostęp přihlášení giriş"),
    ("pair", 0, "账号 帐号 账户 帳號 アカウント ログイン 계정 บัญชี"),
)


def _spaced(words: str) -> list[str]:
    return [word.replace("_", " ") for word in words.split()]


# The longest word of each name, as the bytes that the words of a text are; its names and their kinds.
_BY_WORD: dict[bytes, list[tuple[str, str]]] = {}
for _kind, _names in _WORDS:
    for _name in _spaced(_names):
        _word = max(_name.replace("-", " ").replace("'", " ").split(), key=len)
        _BY_WORD.setdefault(_word.encode(), []).append((_name, _kind))
KNOWN = frozenset(_BY_WORD)
# By their first letter that is not ASCII.
_BY_LETTER: dict[str, list[tuple[str, str, int]]] = {}
for _kind, _ending, _names in _STEMS:
    for _name in _spaced(_names):
        _letter = next(char for char in _name if not char.isascii())
        _BY_LETTER.setdefault(_letter, []).append((_name, _kind, _ending))
# All but ASCII letters and digits ends a word.
_SPACES = bytes(each if each < 128 and chr(each).isalnum() else 32 for each in range(256))
# These are often the last part of a word that is not in our lists.
_PARTS = ("wachtwoord", "salasana")
_ASCII = bytes(range(128))
_PART, _LONGEST = 65_536, 32  # characters that are looked at together; of a word
# A stem of so many letters may be the last part of a compound: `WLAN-Lösenord`.
_COMPOUND = 6

Name = tuple[int, int, str]


def known_in(lower: str, ours: frozenset[bytes]) -> frozenset[bytes]:
    """Return those of our words that a text in lower case has; part by part, as all of them take memory."""
    found: frozenset[bytes] = frozenset()
    for at in range(0, len(lower), _PART):
        part = lower[at : at + _PART + _LONGEST].encode("utf-8", "replace")
        found |= ours.intersection(part.translate(_SPACES).split())
    return found


def names(text: str, lower: str, known: frozenset[bytes]) -> Iterator[Name]:
    """Yield where a name of another language begins and ends, and its kind; in no order.

    `known` are the words of the text that are ours.
    """
    for word in known & KNOWN:
        for name, kind in _BY_WORD[word]:
            yield from (
                (at, at + len(name), kind) for at in _places(lower, name) if _is_whole(text, at, name)
            )
    for part in _PARTS:
        for at in _places(lower, part):
            if text[at - 1 : at].isalpha() and (end := _end(text, at + len(part), 2)):
                yield at, end, "password"
    if not text.isascii():
        yield from _of_other_letters(text, lower)


def _of_other_letters(text: str, lower: str) -> Iterator[Name]:
    letters = set(lower.encode("utf-8", "replace").translate(None, _ASCII).decode("utf-8", "replace"))
    for letter in _BY_LETTER.keys() & letters:
        for stem, kind, ending in _BY_LETTER[letter]:
            for at in _places(lower, stem):
                if _begins_well(text, at, stem) and (end := _end(text, at + len(stem), ending)):
                    yield at, end, kind


def _is_whole(text: str, at: int, name: str) -> bool:
    end = at + len(name)
    return not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum()


def _places(lower: str, name: str) -> Iterator[int]:
    at = lower.find(name)
    while at >= 0:
        yield at
        at = lower.find(name, at + len(name))


def _begins_well(text: str, at: int, stem: str) -> bool:
    """Tell a word from a part of one; a script without case has no spaces either, or takes prefixes."""
    return not at or len(stem) >= _COMPOUND or not stem[0].islower() or not text[at - 1].isalpha()


def _end(text: str, end: int, ending: int) -> int:
    """Return where a word ends whose stem ends there; 0 if it goes on for longer than an ending does."""
    last = end
    while ending and last - end <= ending and text[last : last + 1].isalpha() and text[last] < "\u2e80":
        last += 1
    return last if last - end <= ending else 0
