/** Runs the command `bursar` as the operator of the sandbox. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { buildPrograms } from '../../tools/build.ts'

/** @returns the output of the command, of both streams if it failed, and its exit code */
export type Operator = (...args: string[]) => Promise<{ readonly text: string; readonly code: number }>

const MOST_OUTPUT = 64 * 1024 * 1024

/** @param environment of the command, as the sandbox describes it */
export async function createOperator(environment: NodeJS.ProcessEnv): Promise<Operator> {
  const { bursar } = await buildPrograms()
  return (...args) =>
    promisify(execFile)(process.execPath, [bursar, ...args], { env: environment, maxBuffer: MOST_OUTPUT }).then(
      ({ stdout }) => ({ text: stdout, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => ({
        text: error.stdout + error.stderr,
        code: error.code,
      }),
    )
}
