/** What a path of the API does. */
import type { Fields } from './request.ts'
import type { View } from './view.ts'

/** By the last part of the path, lower case. */
export type Routes = Readonly<Record<string, (view: View, fields: Fields) => unknown>>
