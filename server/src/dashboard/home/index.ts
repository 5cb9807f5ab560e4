/**
 * The first page about a merchant: its money, charts of it by day, what needs its members, and the first steps.
 * Guarantees:
 * - it needs at most ten statements, each of which reads a bounded number of rows however long the history is;
 * - members see the parts that their role may see;
 * - nothing is changed.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { livePage } from '../frame/index.ts'
import { HOME, type HomePageDeps } from './deps.ts'
import { homePage } from './home-page.ts'

export const homePages = (deps: HomePageDeps): PageRoute[] => [livePage(deps, HOME, 'see-payments', homePage(deps))]
