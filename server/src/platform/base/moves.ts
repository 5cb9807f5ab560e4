/**
 * A state machine as a table: for each state the allowed events, the state that each leads to, and its effects, which
 * are carried out in the transaction that changes the state.
 */
export type Moves<State extends string, Event extends string, Effect extends string> = {
  readonly [S in State]: { readonly [E in Event]?: Move<State, Effect> }
}

export interface Move<State extends string, Effect extends string> {
  readonly to: State
  readonly effects: readonly Effect[]
}

/** Defines a move of a table: the state it leads to, then its effects in order. */
export const to = <State extends string, Effect extends string>(
  state: State,
  ...effects: Effect[]
): Move<State, Effect> => ({ to: state, effects })

/** The move of an event in a state, or undefined when the table does not allow it. */
export const moveOf = <State extends string, Event extends string, Effect extends string>(
  moves: Moves<State, Event, Effect>,
  state: State,
  event: Event,
): Move<State, Effect> | undefined => moves[state][event]

/** The states in which an event is allowed. */
export const statesTaking = <State extends string, Event extends string, Effect extends string>(
  moves: Moves<State, Event, Effect>,
  event: Event,
): State[] => (Object.keys(moves) as State[]).filter((state) => moves[state][event] !== undefined)
