/** Who typed a command, as it is recorded: `cli:LOGIN`, or `cli:LOGIN (sudo by LOGIN)`. */
const ACTOR = /^(?:cli:)?(?<login>.*?)(?: \(sudo by (?<by>.*)\))?$/s

/** The login that typed, and the one behind it that is a person's; letters of either size are one. */
const namesIn = (actor: string): { login: string; person: string } => {
  const { login = '', by = login } = ACTOR.exec(actor.toLowerCase())!.groups!
  return { login, person: by }
}

/** Whether two recorded actors can be one person. Two who share an account through `sudo` are two. */
export const isSameActor = (one: string, other: string): boolean => {
  const [a, b] = [namesIn(one), namesIn(other)]
  return a.person === b.person || a.login === b.person || b.login === a.person
}
