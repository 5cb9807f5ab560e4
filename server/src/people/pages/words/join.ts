import type { Language } from '../../../platform/base/language.ts'

/** Texts of accepting an invitation and setting up a way to sign in. */
export interface JoinWords {
  /** the answer to every invitation that can't be accepted */
  goneTitle: string
  gone: string
  joinTitle: (merchant: string) => string
  resetTitle: string
  joinText: (role: string) => string
  joinAs: (email: string) => string
  existing: string
  accept: string
  makePasskey: string
  makePasskeyText: string
  passkeyName: string
  passkeyNameHint: string
  usePassword: string
  /** in place of `usePassword`, where no passkey can be offered */
  setPassword: string
  usePasswordText: string
  newPassword: string
  newPasswordHint: string
  authenticator: string
  authenticatorText: string
  authenticatorKey: string
  authenticatorCode: string
  qr: string
  passwordWeak: string
  codeWrong: string
  passkeyNotMade: string
  codesTitle: string
  codesText: string
  goOn: string
}

const uk: JoinWords = {
  goneTitle: 'Цим запрошенням не можна скористатися',
  gone: 'Його вже використано, відкликано чи прострочено, або посилання неповне. Попросіть нове.',
  joinTitle: (merchant) => `${merchant} запрошує вас`,
  resetTitle: 'Налаштуйте новий спосіб входу',
  joinText: (role) => `Ваша роль: ${role}.`,
  joinAs: (email) => `Для ${email}.`,
  existing: 'У вас уже є обліковий запис. Увійдіть і відкрийте посилання ще раз.',
  accept: 'Прийняти запрошення',
  makePasskey: 'Створити ключ доступу',
  makePasskeyText:
    'Ви входите за відбитком пальця, обличчям або PIN-кодом пристрою. Його не вгадати й не виманити листом.',
  passkeyName: 'Назва ключа доступу',
  passkeyNameHint: 'Щоб упізнати його згодом, наприклад «робочий ноутбук».',
  usePassword: 'Користуватися паролем',
  setPassword: 'Установити пароль',
  usePasswordText: 'Потрібен застосунок-автентифікатор на телефоні для одноразових кодів.',
  newPassword: 'Новий пароль',
  newPasswordHint: 'Щонайменше 12 символів. Добре підходять кілька не пов’язаних слів.',
  authenticator: 'Застосунок-автентифікатор',
  authenticatorText: 'Відскануйте код застосунком або введіть ключ. Потім введіть шість цифр, які він показує.',
  authenticatorKey: 'Ключ',
  authenticatorCode: 'Код із застосунку',
  qr: 'QR-код для застосунку-автентифікатора',
  passwordWeak: 'Виберіть пароль від 12 до 200 символів, який не збігається з вашою адресою.',
  codeWrong: 'Код із застосунку не підходить. Введіть найновіший і перевірте час на телефоні.',
  passkeyNotMade: 'Ключ доступу не створено. Спробуйте ще раз.',
  codesTitle: 'Збережіть резервні коди',
  codesText:
    'Кожен код один раз замінює код із застосунку. Їх показано зараз і більше ніколи. Зберігайте їх окремо від телефона.',
  goOn: 'Я їх зберіг(-ла)',
}

const kk: JoinWords = {
  goneTitle: 'Бұл шақыруды пайдалану мүмкін емес',
  gone: 'Ол пайдаланылған, кері алынған немесе мерзімі өткен, не сілтеме толық емес. Жаңасын сұраңыз.',
  joinTitle: (merchant) => `${merchant} сізді шақырады`,
  resetTitle: 'Кірудің жаңа тәсілін баптаңыз',
  joinText: (role) => `Сіздің рөліңіз: ${role}.`,
  joinAs: (email) => `${email} үшін.`,
  existing: 'Сізде тіркелгі бар. Кіріп, сілтемені қайта ашыңыз.',
  accept: 'Шақыруды қабылдау',
  makePasskey: 'Кіру кілтін жасау',
  makePasskeyText:
    'Саусақ ізімен, бет бейнесімен немесе құрылғының PIN кодымен кіресіз. Оны болжау да, хатпен алдап алу да мүмкін емес.',
  passkeyName: 'Кіру кілтінің атауы',
  passkeyNameHint: 'Кейін тану үшін, мысалы «жұмыс ноутбугі».',
  usePassword: 'Құпиясөзді қолдану',
  setPassword: 'Құпиясөз орнату',
  usePasswordText: 'Бір реттік кодтар үшін телефонда аутентификатор қолданбасы керек.',
  newPassword: 'Жаңа құпиясөз',
  newPasswordHint: 'Кемінде 12 таңба. Бірнеше байланыссыз сөз жақсы келеді.',
  authenticator: 'Аутентификатор қолданбасы',
  authenticatorText:
    'Кодты қолданбамен сканерлеңіз немесе кілтті теріңіз. Содан кейін ол көрсеткен алты цифрды енгізіңіз.',
  authenticatorKey: 'Кілт',
  authenticatorCode: 'Қолданбадағы код',
  qr: 'Аутентификатор қолданбасына арналған QR код',
  passwordWeak: 'Мекенжайыңызбен бірдей емес, 12-ден 200-ге дейін таңбалы құпиясөз таңдаңыз.',
  codeWrong: 'Қолданбадағы код сәйкес емес. Ең жаңасын енгізіп, телефон уақытын тексеріңіз.',
  passkeyNotMade: 'Кіру кілті жасалмады. Қайталап көріңіз.',
  codesTitle: 'Қалпына келтіру кодтарын сақтаңыз',
  codesText:
    'Әр код қолданбадағы кодты бір рет алмастырады. Олар қазір ғана көрсетіледі. Оларды телефоннан бөлек сақтаңыз.',
  goOn: 'Мен оларды сақтадым',
}

const ru: JoinWords = {
  goneTitle: 'Это приглашение нельзя использовать',
  gone: 'Оно уже использовано, отозвано или просрочено, либо ссылка неполная. Попросите новое.',
  joinTitle: (merchant) => `${merchant} приглашает вас`,
  resetTitle: 'Настройте новый способ входа',
  joinText: (role) => `Ваша роль: ${role}.`,
  joinAs: (email) => `Для ${email}.`,
  existing: 'У вас уже есть учётная запись. Войдите и откройте ссылку ещё раз.',
  accept: 'Принять приглашение',
  makePasskey: 'Создать ключ доступа',
  makePasskeyText:
    'Вы входите по отпечатку пальца, лицу или PIN-коду устройства. Его не угадать и не выманить письмом.',
  passkeyName: 'Название ключа доступа',
  passkeyNameHint: 'Чтобы узнать его позже, например «рабочий ноутбук».',
  usePassword: 'Использовать пароль',
  setPassword: 'Установить пароль',
  usePasswordText: 'Нужно приложение-аутентификатор на телефоне для одноразовых кодов.',
  newPassword: 'Новый пароль',
  newPasswordHint: 'Не меньше 12 символов. Хорошо подходят несколько не связанных слов.',
  authenticator: 'Приложение-аутентификатор',
  authenticatorText: 'Отсканируйте код приложением или введите ключ. Затем введите шесть цифр, которые оно показывает.',
  authenticatorKey: 'Ключ',
  authenticatorCode: 'Код из приложения',
  qr: 'QR-код для приложения-аутентификатора',
  passwordWeak: 'Выберите пароль от 12 до 200 символов, не совпадающий с вашим адресом.',
  codeWrong: 'Код из приложения не подходит. Введите самый новый и проверьте время на телефоне.',
  passkeyNotMade: 'Ключ доступа не создан. Попробуйте ещё раз.',
  codesTitle: 'Сохраните резервные коды',
  codesText:
    'Каждый код один раз заменяет код из приложения. Они показаны сейчас и больше никогда. Храните их отдельно от телефона.',
  goOn: 'Я их сохранил(-а)',
}

const en: JoinWords = {
  goneTitle: 'This invitation can not be used',
  gone: 'It was used or withdrawn, has expired, or its link is not complete. Ask for a new one.',
  joinTitle: (merchant) => `${merchant} invites you`,
  resetTitle: 'Set up a new way to sign in',
  joinText: (role) => `Your role: ${role}.`,
  joinAs: (email) => `For ${email}.`,
  existing: 'You have an account already. Sign in, and open the link again.',
  accept: 'Accept the invitation',
  makePasskey: 'Make a passkey',
  makePasskeyText: 'You sign in by your fingerprint, face or device PIN. Nothing can be guessed or stolen by mail.',
  passkeyName: 'Name of the passkey',
  passkeyNameHint: 'To recognise it later, such as “work laptop”.',
  usePassword: 'Use a password instead',
  setPassword: 'Set a password',
  usePasswordText: 'You need an authenticator app on your phone for one-time codes.',
  newPassword: 'New password',
  newPasswordHint: 'At least 12 characters. A few unrelated words are good.',
  authenticator: 'Authenticator app',
  authenticatorText: 'Scan the code with the app, or type the key. Then enter the six digits that the app shows.',
  authenticatorKey: 'Key',
  authenticatorCode: 'Code of the app',
  qr: 'QR code for the authenticator app',
  passwordWeak: 'Choose a password of 12 to 200 characters that is not your address.',
  codeWrong: 'The code of the app does not fit. Enter the newest one, and check the time of your phone.',
  passkeyNotMade: 'The passkey was not made. Try again.',
  codesTitle: 'Save your recovery codes',
  codesText:
    'Each code signs you in once, in place of a code of the app. They are shown now and never again. Keep them where your phone is not.',
  goOn: 'I have saved them',
}

export const JOIN_WORDS: Readonly<Record<Language, JoinWords>> = { uk, kk, ru, en }
