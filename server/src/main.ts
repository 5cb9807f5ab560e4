#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { COMPILE_CACHE } from './platform/process/compile-cache.ts'

enableCompileCache(COMPILE_CACHE)
const { runCommand } = await import('./app/cli/index.ts')
// A serving process is ended by a signal, and would store nothing.
flushCompileCache()

process.exitCode = await runCommand(process.argv.slice(2), process.env)
