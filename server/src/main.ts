#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { COMPILE_CACHE } from './platform/process/compile-cache.ts'

enableCompileCache(COMPILE_CACHE)
const { runCommand } = await import('./app/cli/index.ts')
// What serves is ended by a signal, and would keep nothing.
flushCompileCache()

process.exitCode = await runCommand(process.argv.slice(2), process.env)
