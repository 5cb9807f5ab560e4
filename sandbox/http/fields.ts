/** Reads the fields of a JSON body or a query, each with its check; an error names the invalid field. */
import { Refusal } from './refusal.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Returns the body as an object with no fields other than these. */
export function objectWith(body: unknown, allowed: readonly string[]): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Refusal(`send a JSON object with ${allowed.join(', ')}`)
  }
  const unknown = Object.keys(body).filter((name) => !allowed.includes(name))
  if (unknown.length > 0) throw new Refusal(`${unknown.join(', ')}: unknown; the fields are ${allowed.join(', ')}`)
  return body as Fields
}

export function text(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '') throw new Refusal(`${name}: send a string`)
  return value
}

export function oneOf(fields: Fields, name: string, choices: readonly string[]): string {
  const value = fields[name]
  if (typeof value !== 'string' || !choices.includes(value))
    throw new Refusal(`${name}: send one of ${choices.join(', ')}`)
  return value
}

export function wholeNumber(fields: Fields, name: string, least: number, most: number, absent?: number): number {
  const value = fields[name] ?? absent
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new Refusal(`${name}: send a whole number from ${least} to ${most}`)
  }
  return value
}

export function listOfTexts(fields: Fields, name: string): string[] {
  const value = fields[name] ?? []
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw new Refusal(`${name}: send a list of strings`)
  return value as string[]
}
