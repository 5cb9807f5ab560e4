/** Payers' pages. Promises that whatever a browser asks for is answered readably, and that nothing on a page is taken for markup. */
export { problemPage } from './problem.ts'
