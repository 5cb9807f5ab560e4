/**
 * One round of cells. Those of one role come one after another: each start of a process ends in its kill, and the next
 * process finishes the work that it left. Those of different roles run beside each other.
 */
import { ROLES, type Cell, type Scene } from './cells.ts'

interface Done {
  cell: string
  kills: number
  readyMs: number
  /** of the whole cell */
  ms: number
}

/**
 * Runs each cell once, in this order within its role. All roles run before and after.
 * @param moments a role whose cells are over is killed by its own one of these until the cells of the others are over
 * @param isOver true: no further cell begins
 */
export const runLanes = async (
  scene: Scene,
  cells: readonly Cell[],
  moments: readonly Cell[],
  isOver: () => boolean,
  onDone: (done: Done) => void,
): Promise<void> => {
  const run = async (cell: Cell): Promise<void> => {
    const began = performance.now()
    const killed = await cell.run(scene)
    onDone({ cell: cell.name, ...killed, ms: performance.now() - began })
  }
  const lanes = ROLES.map((role) => {
    const isOwn = (cell: Cell): boolean => cell.role === role
    return { role, own: cells.filter(isOwn), moment: moments.find(isOwn) }
  }).filter(({ own, moment }) => own.length > 0 || moment !== undefined)
  let unfinished = lanes.length
  let failed = false
  const isEnding = (): boolean => failed || isOver()
  const runLane = async ({ role, own, moment }: (typeof lanes)[number]): Promise<void> => {
    // This kill finds the role at rest: it is not counted.
    await scene.sandbox.kill(role)
    for (const cell of own) if (!isEnding()) await run(cell)
    unfinished -= 1
    while (moment !== undefined && unfinished > 0 && !isEnding()) await run(moment)
    await scene.sandbox.start(role)
  }
  const fail = (error: unknown): never => {
    failed = true
    throw error
  }
  // After a failure too: a role that starts while the sandbox stops would be left over.
  const ended = await Promise.allSettled(lanes.map((lane) => runLane(lane).catch(fail)))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  for (const cell of cells) if (cell.role === 'several' && !isOver()) await run(cell)
}
