import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { clsNames } from '../../src/contract/registry.ts'
import { formatIssue } from '../../src/core/excerpt.ts'
import type { LoadedManifest } from '../../src/manifest/load_manifest.ts'

/** Folder of the fixtures. */
export const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))

/** Environment variables of the fixtures. SECRET must never be printed. */
export const fixtureEnv = { COUNTRY: 'Norway', PORT: '5433', SRS: '3857', ENABLED: 'true', SECRET: 'hunter2' }

/** Lists the cases of a fixture folder: YAML files and folders, by name without extension. */
export function listCases(folder: 'good' | 'bad'): { readonly name: string; readonly path: string }[] {
  return readdirSync(`${fixtures}/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.yaml'))
    .map(({ name }) => ({ name: name.replace(/\.yaml$/, ''), path: `${folder}/${name}` }))
}

/** Formats all issues of a load like the command line; `(classes)` stands for the list of all classes. */
export function printIssues({ issues, sources }: LoadedManifest): string {
  return issues
    .map((issue) => `${formatIssue(issue, sources.get(issue.span?.file ?? ''))}\n`)
    .join('')
    .replaceAll(clsNames.join(', '), '(classes)')
    .replaceAll(clsNames.map((cls) => `"${cls}"`).join(', '), '(classes)')
}
