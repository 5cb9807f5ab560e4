/** The handlers of the API, by path. */
import type { Fields } from './request.ts'
import type { View } from './view.ts'

/** By the last part of the path, in lower case. */
export type Routes = Readonly<Record<string, (view: View, fields: Fields) => unknown>>
