/** The recorded form of the person who ran a command: `cli:LOGIN`, or `cli:LOGIN (sudo by LOGIN)`. */
const ACTOR = /^(?:cli:)?(?<login>.*?)(?: \(sudo by (?<by>.*)\))?$/s

/** The login that ran the command, and the person's login behind `sudo`, both in lower case. */
const namesIn = (actor: string): { login: string; person: string } => {
  const { login = '', by = login } = ACTOR.exec(actor.toLowerCase())!.groups!
  return { login, person: by }
}

/** Whether two recorded actors may be the same person. Two people who use one account through `sudo` are different. */
export const isSameActor = (one: string, other: string): boolean => {
  const [a, b] = [namesIn(one), namesIn(other)]
  return a.person === b.person || a.login === b.person || b.login === a.person
}
