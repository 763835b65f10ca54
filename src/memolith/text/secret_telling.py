"""How a secret is told in forty languages: what is said between its name and its value, or in its place.

Names are in `secret_tongues`; this is only for the scanner.
"""

from __future__ import annotations

from memolith.text.secret_words import words

# What a code may open, as far as it is not said by a word for a password.
PLACES = """
    door building entrance gate alarm entry keypad safe locker lock lockbox padlock garage lobby tür
    tuer tor tresor schloss puerta portón alarma caja_fuerte candado porte portail coffre cadenas
    porta cancello allarme cassaforte lucchetto portão cofre deur poort kluis slot dörr larm
    kassaskåp dør pengeskab ovi hälyt drzwi bram sejf domofon dveř dver trezor ajtó kapu riaszt széf
    ușă ușa poart seif πόρτα συναγερμ kapı двер подъезд под’їзд домофон сигнализ сейф врат باب דלת
    כניסה בניין אזעק در_ दरवाज 门 門 ドア 玄関 金庫 문 현관 cửa pintu gerbang ประตู
"""
# Right before a value.
_ENGLISH_IS = "is|was|are|now|remains|becomes|(?:re)?set to|changed to|(?:upda|rota)ted to|switched to"
_IS = """
    ist lautet heißt heisst bleibt est était sera es será é è luidt är lyder er jest brzmi było byl
    bylo je bolo zní znie lett este είναι ήταν это был теперь це є е беше био هو هي הוא היא است है হল হচ্ছে
    là adalah ialah yaitu yra
"""
_IS_TOO = "war era on oli to e var ir"
# Behind an English name only what is no word of English; behind another one, all of them.
CLEAR_IS = "|".join([_ENGLISH_IS, *_IS.split()])
ANY_IS = "|".join([CLEAR_IS, *_IS_TOO.split()])
# Between a value and the name behind it.
AS = "as als comme como come jako som olarak как як като као mint ca sebagai làm wie"
# Before what a password is for.
OF = words("""
    für fuer von vom zu zum zur an auf bei im in pour de du des la le les à au sur del el en al para do
    da no na di della dello il per su van voor het op för till i på til av dla w z k ke pro v u za od cu
    lui για της του στο için от для к на в до від за إلى على في من של برای در को का की के ở cho của untuk
""")
# The same behind an English name, where they are no English words: "password del wifi".
OF_THEIRS = words("für fuer von del della dello di de du des pour para per do da voor till til för dla")
# What a phrase of words chosen at random has none of.
SPOKEN = words("""
    the a an is are your you for in and or of to with from that this at least must should words random
    not can will der die das und mit ist ein eine le la les un une est et avec de des el los y con es que
""")
# The same in scripts without spaces.
GLUED_IS = "就是 设为 设成 改为 改成 改成了 換成 是 为 為 叫 用 は が を 는 은 가 이 를 을 คือ เป็น"
# What a person says of a password where it could stand, as stems; `secret_words.SAID` has the English ones.
SAID = """
    erforder pflicht notwend vergess falsch ungültig geänder änder zurück leer keine kein unbekannt
    siehe gespeichert geheim sicher unsicher abgelaufen bestätig wieder fehlt obligat requis oublié
    incorrect invalid inconnu vide aucun voir modifié changé requerid olvidad incorrecta inválid
    vací ningun cambiad descono véase ver_ opcional guardad esquecid necessári obrigat vazi nenhum
    alterad richiest dimenticat sbagliat errat vuot nessun cambiat vedi vereist verplicht vergeten
    onjuist ongeldig leeg geen zie gewijzigd krävs glömt fel ogiltig saknas inget ändrat påkrævet
    glemt forkert ugyldig mangler ingen endret pakoll väärä unoht puuttuu tyhjä ei_ wymagan
    zapomnian nieprawid błędn brak pust zmienion povinn zapomen nesprávn chyb prázdn žádn zmen
    kötelez elfelejt hib érvénytelen üres nincs necesar uitat greșit gol lips schimbat απαιτ ξεχ
    λάθος κεν zorunlu gerekli unuttum yanlış geçersiz boş yok обязател забыл неверн пуст нет измен
    требу сброш обовʼязк забут неправиль порож немає задълж забрав грешн няма obavezn zaborav
    pogrešn praz nema مطلوب نسيت خاطئ فارغ חובה שכח שגוי ריק الزامی فراموش نادرست आवश्यक भूल गलत
    必填 必须 必需 忘记 错误 为空 无 修改 重置 不能 長度 必要 忘れ 違い なし 変更 必須 필수 잊 오류
    없음 변경 bắt_buộc quên sai trống wajib lupa salah kosong diperlukan จำเป็น ลืม ผิด ว่าง
"""


def is_said(word: str) -> bool:
    """Tell a word that says something of a password in some language from one that is a password."""
    word = word.lower()
    return any(word.startswith(stem) and len(word) <= len(stem) + min(len(stem), _ENDING) for stem in _SAID)


_ENDING = 7
_SAID = tuple(stem.replace("_", " ").rstrip() for stem in SAID.split())
