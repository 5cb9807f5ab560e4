import type { Language } from '../../../platform/base/language.ts'

/** Texts of the menu, the list of merchants and the answer to a role that is not enough. */
export interface MenuWords {
  menu: string
  merchants: string
  security: string
  signOut: string
  home: string
  links: string
  payments: string
  refunds: string
  balances: string
  exchange: string
  payouts: string
  webhooks: string
  requests: string
  settings: string
  keys: string
  archive: string
  team: string
  audit: string
  merchantsTitle: string
  noMerchants: string
  notAllowedTitle: string
  notAllowed: string
  /** names the list of pages for readers of screens */
  sections: string
  /** the link that leads keyboards past the menu */
  skip: string
  /** the button that opens the menu on a phone */
  open: string
  /** the button that opens the command palette, its field, and its line that searches the payments for a text */
  palette: { open: string; label: string; find: string }
  /** names the button that lists the other merchants of a person */
  switchFrom: (merchant: string) => string
  /** headings of the menu */
  groups: Record<'developers' | 'company' | 'account', string>
}

const uk: MenuWords = {
  menu: 'Кабінет',
  merchants: 'Продавці',
  security: 'Безпека',
  signOut: 'Вийти',
  home: 'Огляд',
  links: 'Платіжні посилання',
  payments: 'Платежі',
  refunds: 'Повернення',
  balances: 'Баланси',
  exchange: 'Обмін',
  payouts: 'Виплати',
  webhooks: 'Вебхуки',
  requests: 'Запити API',
  settings: 'Налаштування',
  keys: 'Ключі',
  archive: 'Архів',
  team: 'Команда',
  audit: 'Журнал дій',
  merchantsTitle: 'Виберіть продавця',
  noMerchants: 'Ви не маєте доступу до жодного продавця.',
  notAllowedTitle: 'Ваша роль цього не дозволяє',
  notAllowed: 'Зверніться до власника або адміністратора продавця.',
  sections: 'Розділи',
  skip: 'До змісту',
  open: 'Меню',
  palette: { open: 'Пошук', label: 'Сторінка, дія або платіж', find: 'Знайти платіж «…»' },
  switchFrom: (merchant) => `Змінити продавця, тепер: ${merchant}`,
  groups: { developers: 'Розробникам', company: 'Продавець', account: 'Обліковий запис' },
}

const kk: MenuWords = {
  menu: 'Кабинет',
  merchants: 'Сатушылар',
  security: 'Қауіпсіздік',
  signOut: 'Шығу',
  home: 'Шолу',
  links: 'Төлем сілтемелері',
  payments: 'Төлемдер',
  refunds: 'Қайтарулар',
  balances: 'Баланстар',
  exchange: 'Айырбас',
  payouts: 'Төлем шығару',
  webhooks: 'Вебхуктар',
  requests: 'API сұраулары',
  settings: 'Баптаулар',
  keys: 'Кілттер',
  archive: 'Мұрағат',
  team: 'Команда',
  audit: 'Әрекеттер журналы',
  merchantsTitle: 'Сатушыны таңдаңыз',
  noMerchants: 'Сізде бірде-бір сатушыға рұқсат жоқ.',
  notAllowedTitle: 'Сіздің рөліңіз бұған рұқсат бермейді',
  notAllowed: 'Сатушының иесіне немесе әкімшісіне хабарласыңыз.',
  sections: 'Бөлімдер',
  skip: 'Мазмұнға өту',
  open: 'Мәзір',
  palette: { open: 'Іздеу', label: 'Бет, әрекет немесе төлем', find: 'Төлемді табу: «…»' },
  switchFrom: (merchant) => `Сатушыны ауыстыру, қазір: ${merchant}`,
  groups: { developers: 'Әзірлеушілерге', company: 'Сатушы', account: 'Тіркелгі' },
}

const ru: MenuWords = {
  menu: 'Кабинет',
  merchants: 'Продавцы',
  security: 'Безопасность',
  signOut: 'Выйти',
  home: 'Обзор',
  links: 'Платёжные ссылки',
  payments: 'Платежи',
  refunds: 'Возвраты',
  balances: 'Балансы',
  exchange: 'Обмен',
  payouts: 'Выплаты',
  webhooks: 'Вебхуки',
  requests: 'Запросы API',
  settings: 'Настройки',
  keys: 'Ключи',
  archive: 'Архив',
  team: 'Команда',
  audit: 'Журнал действий',
  merchantsTitle: 'Выберите продавца',
  noMerchants: 'У вас нет доступа ни к одному продавцу.',
  notAllowedTitle: 'Ваша роль этого не позволяет',
  notAllowed: 'Обратитесь к владельцу или администратору продавца.',
  sections: 'Разделы',
  skip: 'К содержанию',
  open: 'Меню',
  palette: { open: 'Поиск', label: 'Страница, действие или платёж', find: 'Найти платёж «…»' },
  switchFrom: (merchant) => `Сменить продавца, сейчас: ${merchant}`,
  groups: { developers: 'Разработчикам', company: 'Продавец', account: 'Учётная запись' },
}

const en: MenuWords = {
  menu: 'Dashboard',
  merchants: 'Merchants',
  security: 'Security',
  signOut: 'Sign out',
  home: 'Home',
  links: 'Payment links',
  payments: 'Payments',
  refunds: 'Refunds',
  balances: 'Balances',
  exchange: 'Exchange',
  payouts: 'Payouts',
  webhooks: 'Webhooks',
  requests: 'API requests',
  settings: 'Settings',
  keys: 'Keys',
  archive: 'Archive',
  team: 'Team',
  audit: 'Audit log',
  merchantsTitle: 'Choose a merchant',
  noMerchants: 'You are a member of no merchant.',
  notAllowedTitle: 'Your role does not allow this',
  notAllowed: 'Ask an owner or an administrator of the merchant.',
  sections: 'Sections',
  skip: 'Skip to the content',
  open: 'Menu',
  palette: { open: 'Search', label: 'A page, an action or a payment', find: 'Find the payment “…”' },
  switchFrom: (merchant) => `Change the merchant, now: ${merchant}`,
  groups: { developers: 'Developers', company: 'Merchant', account: 'Account' },
}

export const MENU_WORDS: Readonly<Record<Language, MenuWords>> = { uk, kk, ru, en }
