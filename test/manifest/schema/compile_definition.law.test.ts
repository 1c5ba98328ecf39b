import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileDefinitions } from '../../../scripts/build/validators.ts'
import { toValidator, type Validator } from '../../../src/contract/schema/fault.ts'
import { createAjv } from '../../../src/contract/schema/validate.ts'
import { parseYaml } from '../../../src/document/parse_yaml.ts'
import { compileDefinition } from '../../../src/manifest/schema/compile_definition.ts'
import * as library from '../../../src/manifest/schema/library_schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'landform-validators-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Pair {
  readonly name: string
  readonly atRunTime: Validator
  readonly built: Validator
}

let pairs: readonly Pair[] = []

beforeAll(async () => {
  // As a package, so that Node loads it, not Vitest.
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  symlinkSync(join(import.meta.dirname, '../../../node_modules/ajv'), join(packages, 'ajv'))
  const path = join(packages, 'compiled.mjs')
  writeFileSync(path, compileDefinitions(createAjv, library))
  const compiled = (await import(pathToFileURL(path).href)) as Record<string, ValidateFunction>
  pairs = Object.keys(library.librarySchema().definitions).map((name) => ({
    name,
    atRunTime: toValidator(compileDefinition(name)),
    built: toValidator(compiled[name] as ValidateFunction),
  }))
})

/** Lists the objects and lists in a value. */
function listParts(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(listParts)]
    : []
}

function expectSame(values: readonly unknown[]): void {
  const others = pairs.flatMap(({ name, atRunTime, built }) =>
    values
      .filter((value) => !isDeepStrictEqual(built(value), atRunTime(value)))
      .map((value) => ({ name, value })),
  )
  expect(others).toEqual([])
}

test('definitions that the build compiles find the same faults in all parts of the fixtures', () => {
  const files = globSync('test/fixtures/{good,bad}/*.yaml')
  expect(files.length).toBeGreaterThan(40)
  const parts = files.flatMap((file) =>
    parseYaml(file, readFileSync(file, 'utf8')).documents.flatMap(({ value }) => listParts(value)),
  )
  expectSame([...new Map(parts.map((part) => [JSON.stringify(part), part])).values()])
})

test('definitions that the build compiles find the same faults in any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => expectSame([value])),
    { seed: 20261128, numRuns: process.env.LANDFORM_SOAK ? 5000 : 200 },
  )
})
