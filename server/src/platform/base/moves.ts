/**
 * A state machine as a table: for each state, the events it takes and where each leads, with the effects to carry out
 * in the transaction that changes the status. An event a state does not list is not allowed in it.
 */
export type Moves<State extends string, Event extends string, Effect extends string> = {
  readonly [S in State]: { readonly [E in Event]?: Move<State, Effect> }
}

export interface Move<State extends string, Effect extends string> {
  readonly to: State
  readonly effects: readonly Effect[]
}

/** Writes a move in a table: the state it leads to, then its effects in order. */
export const to = <State extends string, Effect extends string>(
  state: State,
  ...effects: Effect[]
): Move<State, Effect> => ({ to: state, effects })

/** The move an event makes from a state, or undefined when the table does not allow it. */
export const moveOf = <State extends string, Event extends string, Effect extends string>(
  moves: Moves<State, Event, Effect>,
  state: State,
  event: Event,
): Move<State, Effect> | undefined => moves[state][event]

/** The states from which an event is allowed. */
export const statesTaking = <State extends string, Event extends string, Effect extends string>(
  moves: Moves<State, Event, Effect>,
  event: Event,
): State[] => (Object.keys(moves) as State[]).filter((state) => moves[state][event] !== undefined)
