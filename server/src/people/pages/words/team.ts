import type { Language } from '../../../platform/base/language.ts'
import type { Role, TeamTrouble } from '../../access/index.ts'

/** Texts of the page Team. */
export interface TeamWords {
  members: string
  you: string
  role: string
  change: string
  changeOf: (email: string) => string
  changeRole: string
  invitations: string
  invitedBy: (who: string) => string
  operator: string
  validUntil: (time: string) => string
  resend: string
  resendTo: (email: string) => string
  withdraw: string
  withdrawFrom: (email: string) => string
  inviteTitle: string
  inviteText: string
  invite: string
  /** why the team was not changed */
  teamTroubles: Record<TeamTrouble, string>
  roles: Record<Role, string>
}

const uk: TeamWords = {
  members: 'Учасники',
  you: 'ви',
  role: 'Роль',
  change: 'Змінити',
  changeOf: (email) => `Змінити ${email}`,
  changeRole: 'Змінити роль',
  invitations: 'Відкриті запрошення',
  invitedBy: (who) => `запросив(-ла) ${who}`,
  operator: 'оператор',
  validUntil: (time) => `дійсне до ${time}`,
  resend: 'Надіслати ще раз',
  resendTo: (email) => `Надіслати ще раз на ${email}`,
  withdraw: 'Відкликати',
  withdrawFrom: (email) => `Відкликати запрошення ${email}`,
  inviteTitle: 'Запросити людину',
  inviteText: 'Людина отримає лист із посиланням, яке діє один раз протягом семи днів.',
  invite: 'Надіслати запрошення',
  teamTroubles: {
    unknown: 'Такого учасника чи відкритого запрошення вже немає.',
    'last-owner': 'Продавець повинен мати власника. Спочатку зробіть власником іншого учасника.',
    member: 'Ця адреса вже належить учаснику цього продавця.',
    address: 'Це не адреса електронної пошти. Напишіть її як name@example.com.',
    limited: 'Надіслано забагато запрошень. Спробуйте за годину.',
    full: 'Продавець має 100 відкритих запрошень. Відкличте ті, що більше не потрібні.',
    'no-mail': 'Пошту не налаштовано, тому запрошення не надіслано. Зверніться до оператора.',
  },
  roles: {
    owner: 'власник',
    admin: 'адміністратор',
    finance: 'фінанси',
    approver: 'схвалювач',
    support: 'підтримка',
    developer: 'розробник',
    viewer: 'спостерігач',
  },
}

const kk: TeamWords = {
  members: 'Мүшелер',
  you: 'сіз',
  role: 'Рөл',
  change: 'Өзгерту',
  changeOf: (email) => `${email} өзгерту`,
  changeRole: 'Рөлді өзгерту',
  invitations: 'Ашық шақырулар',
  invitedBy: (who) => `шақырған: ${who}`,
  operator: 'оператор',
  validUntil: (time) => `${time} дейін жарамды`,
  resend: 'Қайта жіберу',
  resendTo: (email) => `${email} мекенжайына қайта жіберу`,
  withdraw: 'Кері алу',
  withdrawFrom: (email) => `${email} шақыруын кері алу`,
  inviteTitle: 'Адамды шақыру',
  inviteText: 'Адам жеті күн ішінде бір рет жарамды сілтемесі бар хат алады.',
  invite: 'Шақыру жіберу',
  teamTroubles: {
    unknown: 'Мұндай мүше немесе ашық шақыру енді жоқ.',
    'last-owner': 'Сатушының иесі болуы керек. Алдымен басқа мүшені иесі етіңіз.',
    member: 'Бұл мекенжай осы сатушының мүшесінікі.',
    address: 'Бұл электрондық пошта мекенжайы емес. Оны name@example.com сияқты жазыңыз.',
    limited: 'Тым көп шақыру жіберілді. Бір сағаттан кейін қайталаңыз.',
    full: 'Сатушының 100 ашық шақыруы бар. Енді керек еместерін кері алыңыз.',
    'no-mail': 'Пошта бапталмаған, сондықтан шақыру жіберілмеді. Операторға хабарласыңыз.',
  },
  roles: {
    owner: 'иесі',
    admin: 'әкімші',
    finance: 'қаржы',
    approver: 'мақұлдаушы',
    support: 'қолдау',
    developer: 'әзірлеуші',
    viewer: 'бақылаушы',
  },
}

const ru: TeamWords = {
  members: 'Участники',
  you: 'вы',
  role: 'Роль',
  change: 'Изменить',
  changeOf: (email) => `Изменить ${email}`,
  changeRole: 'Изменить роль',
  invitations: 'Открытые приглашения',
  invitedBy: (who) => `пригласил(-а) ${who}`,
  operator: 'оператор',
  validUntil: (time) => `действует до ${time}`,
  resend: 'Отправить ещё раз',
  resendTo: (email) => `Отправить ещё раз на ${email}`,
  withdraw: 'Отозвать',
  withdrawFrom: (email) => `Отозвать приглашение ${email}`,
  inviteTitle: 'Пригласить человека',
  inviteText: 'Человек получит письмо со ссылкой, которая действует один раз в течение семи дней.',
  invite: 'Отправить приглашение',
  teamTroubles: {
    unknown: 'Такого участника или открытого приглашения больше нет.',
    'last-owner': 'У продавца должен быть владелец. Сначала сделайте владельцем другого участника.',
    member: 'Этот адрес уже принадлежит участнику этого продавца.',
    address: 'Это не адрес электронной почты. Напишите его как name@example.com.',
    limited: 'Отправлено слишком много приглашений. Попробуйте через час.',
    full: 'У продавца 100 открытых приглашений. Отзовите те, которые больше не нужны.',
    'no-mail': 'Почта не настроена, поэтому приглашение не отправлено. Обратитесь к оператору.',
  },
  roles: {
    owner: 'владелец',
    admin: 'администратор',
    finance: 'финансы',
    approver: 'одобряющий',
    support: 'поддержка',
    developer: 'разработчик',
    viewer: 'наблюдатель',
  },
}

const en: TeamWords = {
  members: 'Members',
  you: 'you',
  role: 'Role',
  change: 'Change',
  changeOf: (email) => `Change ${email}`,
  changeRole: 'Change the role',
  invitations: 'Open invitations',
  invitedBy: (who) => `invited by ${who}`,
  operator: 'operator',
  validUntil: (time) => `valid until ${time}`,
  resend: 'Send again',
  resendTo: (email) => `Send again to ${email}`,
  withdraw: 'Withdraw',
  withdrawFrom: (email) => `Withdraw the invitation of ${email}`,
  inviteTitle: 'Invite a person',
  inviteText: 'The person gets a mail with a link that works once, within seven days.',
  invite: 'Send the invitation',
  teamTroubles: {
    unknown: 'There is no such member or open invitation any more.',
    'last-owner': 'The merchant must have an owner. First make another member an owner.',
    member: 'The address is a member of this merchant already.',
    address: 'This is not a mail address. Write it like name@example.com.',
    limited: 'Too many invitations were sent. Try again in an hour.',
    full: 'The merchant has 100 open invitations. Withdraw some that are no longer needed.',
    'no-mail': 'Mail is not set up, so no invitation was sent. Ask the operator.',
  },
  roles: {
    owner: 'owner',
    admin: 'administrator',
    finance: 'finance',
    approver: 'approver',
    support: 'support',
    developer: 'developer',
    viewer: 'viewer',
  },
}

export const TEAM_WORDS: Readonly<Record<Language, TeamWords>> = { uk, kk, ru, en }
