export type * from './view.ts'
export { LANGUAGES } from './view.ts'
