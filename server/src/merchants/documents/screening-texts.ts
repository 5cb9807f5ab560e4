import type { Language } from '../../platform/base/language.ts'

/** The texts of a screening report in one language. */
export interface ScreeningTexts {
  title: string
  risky: string
  clean: string
  score: string
  deposit: string
  withdrawal: string
  network: string
  asset: string
  transaction: string
  own: string
  senders: string
  destination: string
  unknown: string
  providers: string
  noProviders: string
  madeAt: string
  reasons: string
  signals: string
  none: string
  danger: string
  foot: string
}

export const SCREENING_TEXTS: Record<Language, ScreeningTexts> = {
  en: {
    title: 'Screening report',
    risky: 'Risky',
    clean: 'No sign of danger',
    score: 'Risk score',
    deposit: 'Deposit',
    withdrawal: 'Withdrawal',
    network: 'Network',
    asset: 'Asset',
    transaction: 'Transaction',
    own: 'Received at',
    senders: 'Sent from',
    destination: 'Sent to',
    unknown: 'not known',
    providers: 'Checked by',
    noProviders: 'none: there was nothing to check',
    madeAt: 'Made',
    reasons: 'Reasons',
    signals: 'Sources of the money',
    none: 'Nothing was reported.',
    danger: 'dangerous',
    foot: 'This report repeats the answers of the sources that it names, as of that time. It does not prove guilt or innocence.',
  },
  uk: {
    title: 'Звіт про перевірку',
    risky: 'Ризиковано',
    clean: 'Ознак небезпеки немає',
    score: 'Оцінка ризику',
    deposit: 'Депозит',
    withdrawal: 'Виведення',
    network: 'Мережа',
    asset: 'Актив',
    transaction: 'Транзакція',
    own: 'Отримано на',
    senders: 'Надіслано з',
    destination: 'Надіслано на',
    unknown: 'невідомо',
    providers: 'Перевірено через',
    noProviders: 'ніким: перевіряти було нічого',
    madeAt: 'Складено',
    reasons: 'Причини',
    signals: 'З чим пов’язані кошти',
    none: 'Нічого не виявлено.',
    danger: 'небезпечно',
    foot: 'Звіт передає те, що на той час повідомили названі в ньому джерела. Він не доводить ні вини, ні невинуватості.',
  },
  kk: {
    title: 'Тексеру есебі',
    risky: 'Тәуекелді',
    clean: 'Қауіп белгісі жоқ',
    score: 'Тәуекел бағасы',
    deposit: 'Депозит',
    withdrawal: 'Шығару',
    network: 'Желі',
    asset: 'Актив',
    transaction: 'Транзакция',
    own: 'Алынған мекенжай',
    senders: 'Жіберуші',
    destination: 'Алушы',
    unknown: 'белгісіз',
    providers: 'Тексерген',
    noProviders: 'ешкім: тексеретін ештеңе болмады',
    madeAt: 'Жасалған уақыты',
    reasons: 'Себептері',
    signals: 'Қаражат немен байланысты',
    none: 'Ештеңе табылмады.',
    danger: 'қауіпті',
    foot: 'Есеп онда аталған дереккөздердің сол кездегі мәліметін қайталайды. Ол ешкімнің кінәсін де, кінәсіздігін де дәлелдемейді.',
  },
  ru: {
    title: 'Отчёт о проверке',
    risky: 'Рискованно',
    clean: 'Признаков опасности нет',
    score: 'Оценка риска',
    deposit: 'Депозит',
    withdrawal: 'Вывод',
    network: 'Сеть',
    asset: 'Актив',
    transaction: 'Транзакция',
    own: 'Получено на',
    senders: 'Отправлено с',
    destination: 'Отправлено на',
    unknown: 'неизвестно',
    providers: 'Проверено через',
    noProviders: 'никем: проверять было нечего',
    madeAt: 'Составлен',
    reasons: 'Причины',
    signals: 'С чем связаны средства',
    none: 'Ничего не выявлено.',
    danger: 'опасно',
    foot: 'Отчёт передаёт то, что в тот момент сообщили названные в нём источники. Он не доказывает ни вины, ни невиновности.',
  },
}
