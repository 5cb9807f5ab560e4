/** Runs before each test file, so that its own hook is the last of all. */
import { afterAll } from 'vitest'
import { removeTemporaryFolders } from './temporary.ts'

afterAll(removeTemporaryFolders)
