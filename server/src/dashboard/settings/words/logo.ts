import type { LogoTrouble } from '../../../merchants/logos/index.ts'
import type { Language } from '../../../platform/base/language.ts'

/** The texts of the page with the logo. */
export interface LogoWords {
  title: string
  /** on the page Settings */
  about: string
  change: string
  shown: string
  shownText: string
  none: string
  remove: string
  draft: string
  draftText: string
  preview: string
  publish: string
  discard: string
  upload: string
  uploadText: string
  file: string
  check: string
  said: Readonly<Record<'uploaded' | 'published' | 'removed' | 'discarded' | 'same', string>>
  changedElsewhere: string
  proveFirst: string
  troubles: Readonly<Record<LogoTrouble, string>>
}

const en: LogoWords = {
  title: 'Logo',
  about: 'Payers see your logo on payment pages and receipts.',
  change: 'Choose the logo',
  shown: 'Shown to payers',
  shownText: 'On payment pages, payment links, receipts and monthly statements.',
  none: 'There is no logo. Payment pages show the first letter of your name.',
  remove: 'Remove the logo',
  draft: 'Uploaded, not published',
  draftText: 'Only members of your team see this logo.',
  preview: 'See it on a payment page',
  publish: 'Publish this logo',
  discard: 'Discard it',
  upload: 'Upload a logo',
  uploadText:
    'PNG of at most 1 MB, or JPEG of at most 100 kB; at most 2 million pixels. Each side has at least 32 pixels; the longer side is at most eight times the shorter one. Pages show it on white, at most 160 × 40 pixels large. Metadata of the file are removed.',
  file: 'Picture file',
  check: 'Upload',
  said: {
    uploaded: 'Uploaded. Look at it, then publish it.',
    published: 'Published. New visits of payment pages show the logo.',
    removed: 'The logo was removed.',
    discarded: 'The draft was discarded.',
    same: 'This logo is already shown.',
  },
  changedElsewhere: 'Nothing was changed: the logo was changed meanwhile. This is its present state.',
  proveFirst: 'First confirm that it is you. The uploaded logo is stored.',
  troubles: {
    missing: 'Choose a file.',
    kind: 'The file is neither a PNG nor a JPEG. Save the logo as PNG, and upload that file. SVG and WebP are not accepted.',
    broken: 'The file is damaged or incomplete. Save the logo once more as PNG, and upload that file.',
    variant: 'This kind of JPEG is not shown everywhere. Save it with RGB colours as an ordinary JPEG, or as PNG.',
    animated: 'The picture is animated. Save one picture as PNG.',
    heavy:
      'The picture is too large. A file has at most 1 MB and 2 million pixels, and a JPEG at most 100 kB. Make it smaller, such as 480 pixels wide.',
    small: 'The picture is too small: each side needs at least 32 pixels.',
    shape: 'The picture is too long: the longer side is at most eight times the shorter one.',
  },
}

const uk: LogoWords = {
  title: 'Логотип',
  about: 'Платники бачать ваш логотип на платіжних сторінках і квитанціях.',
  change: 'Вибрати логотип',
  shown: 'Бачать платники',
  shownText: 'На платіжних сторінках, платіжних посиланнях, квитанціях і місячних виписках.',
  none: 'Логотипа немає. Платіжні сторінки показують першу літеру вашої назви.',
  remove: 'Видалити логотип',
  draft: 'Завантажено, не опубліковано',
  draftText: 'Цей логотип бачать лише учасники вашої команди.',
  preview: 'Переглянути на платіжній сторінці',
  publish: 'Опублікувати цей логотип',
  discard: 'Відкинути',
  upload: 'Завантажити логотип',
  uploadText:
    'PNG щонайбільше 1 МБ або JPEG щонайбільше 100 кБ; щонайбільше 2 мільйони пікселів. Кожна сторона має щонайменше 32 пікселі; довша сторона щонайбільше у вісім разів довша за коротшу. Сторінки показують його на білому тлі, розміром щонайбільше 160 × 40 пікселів. Метадані файлу видаляються.',
  file: 'Файл зображення',
  check: 'Завантажити',
  said: {
    uploaded: 'Завантажено. Перегляньте логотип, а потім опублікуйте.',
    published: 'Опубліковано. Логотип видно, коли платіжну сторінку відкривають знову.',
    removed: 'Логотип видалено.',
    discarded: 'Чернетку відкинуто.',
    same: 'Цей логотип уже показується.',
  },
  changedElsewhere: 'Нічого не змінено: логотип тим часом змінили. Це його поточний стан.',
  proveFirst: 'Спочатку підтвердьте, що це ви. Завантажений логотип збережено.',
  troubles: {
    missing: 'Виберіть файл.',
    kind: 'Цей файл не PNG і не JPEG. Збережіть логотип як PNG і завантажте той файл. SVG і WebP не приймаються.',
    broken: 'Файл пошкоджений або неповний. Збережіть логотип ще раз як PNG і завантажте той файл.',
    variant: 'Такий різновид JPEG показують не всюди. Збережіть його з кольорами RGB як звичайний JPEG або як PNG.',
    animated: 'Зображення анімоване. Збережіть одне зображення як PNG.',
    heavy:
      'Зображення завелике. Файл має щонайбільше 1 МБ і 2 мільйони пікселів, а JPEG щонайбільше 100 кБ. Зменште його, наприклад до ширини 480 пікселів.',
    small: 'Зображення замале: кожна сторона має бути щонайменше 32 пікселі.',
    shape: 'Зображення задовге: довша сторона має бути щонайбільше у вісім разів довшою за коротшу.',
  },
}

const kk: LogoWords = {
  title: 'Логотип',
  about: 'Төлеушілер логотипіңізді төлем беттері мен түбіртектерде көреді.',
  change: 'Логотипті таңдау',
  shown: 'Төлеушілерге көрінеді',
  shownText: 'Төлем беттерінде, төлем сілтемелерінде, түбіртектерде және айлық үзінділерде.',
  none: 'Логотип жоқ. Төлем беттері атауыңыздың бірінші әрпін көрсетеді.',
  remove: 'Логотипті жою',
  draft: 'Жүктелді, жарияланған жоқ',
  draftText: 'Бұл логотипті тек командаңыздың мүшелері көреді.',
  preview: 'Төлем бетінде қарау',
  publish: 'Осы логотипті жариялау',
  discard: 'Бас тарту',
  upload: 'Логотип жүктеу',
  uploadText:
    'PNG (ең көбі 1 МБ) немесе JPEG (ең көбі 100 кБ); ең көбі 2 миллион пиксель. Әр қабырғасы кемінде 32 пиксель; ұзын қабырғасы қысқасынан ең көбі сегіз есе ұзын. Беттер оны ақ түсте, ең көбі 160 × 40 пиксель етіп көрсетеді. Файлдың метадеректері жойылады.',
  file: 'Сурет файлы',
  check: 'Жүктеу',
  said: {
    uploaded: 'Жүктелді. Қарап шығып, жариялаңыз.',
    published: 'Жарияланды. Төлем беті қайта ашылғанда логотип көрінеді.',
    removed: 'Логотип жойылды.',
    discarded: 'Жоба жойылды.',
    same: 'Бұл логотип қазірдің өзінде көрсетіліп тұр.',
  },
  changedElsewhere: 'Ештеңе өзгерген жоқ: логотипті осы арада басқа біреу өзгертті. Бұл оның қазіргі күйі.',
  proveFirst: 'Алдымен бұл сіз екеніңізді растаңыз. Жүктелген логотип сақталды.',
  troubles: {
    missing: 'Файлды таңдаңыз.',
    kind: 'Бұл файл PNG де, JPEG де емес. Логотипті PNG ретінде сақтап, сол файлды жүктеңіз. SVG мен WebP қабылданбайды.',
    broken: 'Файл бүлінген немесе толық емес. Логотипті PNG ретінде қайта сақтап, сол файлды жүктеңіз.',
    variant:
      'JPEG-тің бұл түрі барлық жерде көрсетілмейді. Оны RGB түстерімен кәдімгі JPEG немесе PNG ретінде сақтаңыз.',
    animated: 'Сурет анимацияланған. Бір суретті PNG ретінде сақтаңыз.',
    heavy:
      'Сурет тым үлкен. Файл ең көбі 1 МБ және 2 миллион пиксель, ал JPEG ең көбі 100 кБ. Оны кішірейтіңіз, мысалы ені 480 пиксельге дейін.',
    small: 'Сурет тым кішкентай: әр қабырғасы кемінде 32 пиксель болуы керек.',
    shape: 'Сурет тым ұзын: ұзын қабырғасы қысқасынан ең көбі сегіз есе ұзын болуы керек.',
  },
}

const ru: LogoWords = {
  title: 'Логотип',
  about: 'Плательщики видят ваш логотип на платёжных страницах и квитанциях.',
  change: 'Выбрать логотип',
  shown: 'Видят плательщики',
  shownText: 'На платёжных страницах, платёжных ссылках, квитанциях и месячных выписках.',
  none: 'Логотипа нет. Платёжные страницы показывают первую букву вашего названия.',
  remove: 'Удалить логотип',
  draft: 'Загружено, не опубликовано',
  draftText: 'Этот логотип видят только участники вашей команды.',
  preview: 'Посмотреть на платёжной странице',
  publish: 'Опубликовать этот логотип',
  discard: 'Отбросить',
  upload: 'Загрузить логотип',
  uploadText:
    'PNG не более 1 МБ или JPEG не более 100 кБ; не более 2 миллионов пикселей. Каждая сторона не менее 32 пикселей; длинная сторона не более чем в восемь раз длиннее короткой. Страницы показывают его на белом фоне, размером не более 160 × 40 пикселей. Метаданные файла удаляются.',
  file: 'Файл изображения',
  check: 'Загрузить',
  said: {
    uploaded: 'Загружено. Посмотрите на логотип, затем опубликуйте его.',
    published: 'Опубликовано. Логотип виден, когда платёжную страницу открывают снова.',
    removed: 'Логотип удалён.',
    discarded: 'Черновик отброшен.',
    same: 'Этот логотип уже показывается.',
  },
  changedElsewhere: 'Ничего не изменено: логотип тем временем изменили. Это его текущее состояние.',
  proveFirst: 'Сначала подтвердите, что это вы. Загруженный логотип сохранён.',
  troubles: {
    missing: 'Выберите файл.',
    kind: 'Этот файл не PNG и не JPEG. Сохраните логотип как PNG и загрузите тот файл. SVG и WebP не принимаются.',
    broken: 'Файл повреждён или неполон. Сохраните логотип ещё раз как PNG и загрузите тот файл.',
    variant: 'Такая разновидность JPEG показывается не везде. Сохраните её с цветами RGB как обычный JPEG или как PNG.',
    animated: 'Изображение анимировано. Сохраните одно изображение как PNG.',
    heavy:
      'Изображение слишком велико. Файл не более 1 МБ и 2 миллионов пикселей, а JPEG не более 100 кБ. Уменьшите его, например до ширины 480 пикселей.',
    small: 'Изображение слишком мало: каждая сторона должна быть не менее 32 пикселей.',
    shape: 'Изображение слишком длинное: длинная сторона не более чем в восемь раз длиннее короткой.',
  },
}

export const LOGO_WORDS: Readonly<Record<Language, LogoWords>> = { uk, kk, ru, en }
