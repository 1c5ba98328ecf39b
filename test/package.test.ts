import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const minutes = 60_000

// Removes the npm variables of an outer `npm test`, which refer to this project.
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_local_prefix$|package_|lifecycle_)/.test(name),
  ),
)

let work: string
/** A user project with only the package installed. */
let project: string

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'landform-package-'))
  project = join(work, 'project')
  const tarball = pack(join(work, 'clone'))
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  // GDAL is the only optional dependency that may need a compiler: simulates an installation without one.
  run(project, 'npm', [
    'install',
    tarball,
    '--ignore-scripts',
    '--omit=optional',
    '--prefer-offline',
    '--no-audit',
  ])
}, 5 * minutes)
afterAll(() => rmSync(work, { recursive: true }))

/** Builds and packs a copy, so that `dist/` of this clone is not changed. */
function pack(clone: string): string {
  const sources = ['src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json', ...about.files]
  for (const path of sources.filter((each) => each !== 'dist' && existsSync(join(root, each)))) {
    cpSync(join(root, path), join(clone, path), {
      recursive: true,
      filter: (from) => !from.includes('node_modules'),
    })
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  run(clone, process.execPath, ['scripts/build.mjs'])
  const packed = run(clone, 'npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', work])
  const [{ filename }] = JSON.parse(packed)
  return join(work, filename)
}

function run(cwd: string, program: string, args: readonly string[]): string {
  const result = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')}\n${result.stdout}${result.stderr}`)
  return result.stdout
}

const installed = (path: string) => join(project, 'node_modules', path)

describe('the published package', () => {
  test('contains the program, SQL and license, and no sources', () => {
    const files = readdirSync(installed('landform'), { recursive: true, encoding: 'utf8' })
    expect(files).toContain('LICENSE')
    expect(files).toContain(join('dist', 'core', 'problem.js'))
    expect(files).toContain(join('dist', 'core', 'problem.d.ts'))
    expect(files).toContain(join('dist', 'store', 'migrations', '0001_foundation.sql'))
    expect(files.filter((file) => /(?<!\.d)\.ts$|^(?:test|src|scripts)\b/.test(file))).toEqual([])
  })

  test('installs neither the optional GDAL nor a Node on the path of the user', () => {
    const commands = readdirSync(installed('.bin'))
    expect(commands).not.toContain('node')
    expect(existsSync(installed('gdal-async'))).toBe(false)
  })

  test('has the SDK of Pulumi, its mocks and its plugin', async () => {
    const program = `
      import { runtime } from '@pulumi/pulumi'
      import { ResourceGroup } from 'landform/pulumi'
      import { setLandformMocks } from 'landform/pulumi/testing'
      const mocks = await setLandformMocks()
      new ResourceGroup('town', { descripton: 'x' })
      await mocks.finish().catch(({ message }) => console.log(message))`
    const args = ['--input-type=module', '--eval', program]
    expect(run(project, process.execPath, args)).toContain('did you mean "description"')
    const runner = installed('@pulumi/pulumi/cmd/run-plugin/index.js')
    const plugin = spawn(process.execPath, [runner, installed('landform/plugin')], { cwd: project, env })
    const [line] = await once(createInterface({ input: plugin.stdout }), 'line')
    expect(line).toMatch(/^\d+$/)
    const exited = once(plugin, 'exit')
    plugin.kill()
    await exited
  })

  test('has types, to which the compiler of a user holds programs', () => {
    const program = `
      import { FileBucket, getLayer, ResourceGroup, Run, Tree, VectorLayer } from 'landform/pulumi'
      import { setLandformMocks } from 'landform/pulumi/testing'
      const town = new ResourceGroup('town', { display_name: 'Town' })
      const trees = new VectorLayer('trees', {
        parent: town,
        vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
        feature_layer: { fields: [{ keyname: 'height', datatype: 'REAL', display_name: 'Height' }] },
      })
      new FileBucket('plans', { parent: trees.key, files: ['plans/*.pdf'] })
      new Run('load', { pipeline: 'trees.yaml', triggers: [trees.id] })
      export const ids = new Tree('manifests', { manifests: ['manifests'] }).ids
      export const count: Promise<number | null | undefined> = getLayer({ name: 'trees' }).then(({ features }) => features)
      export const mocks = setLandformMocks()
      // @ts-expect-error
      new ResourceGroup('wrong', { descripton: 'x' })
      // @ts-expect-error
      new VectorLayer('wrong', { vector_layer: { geometry_type: 'CIRCLE' } })`
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024' }
    writeFileSync(join(project, 'index.ts'), program)
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }))
    expect(run(project, join(root, 'node_modules/.bin/tsc'), ['-p', '.'])).toBe('')
  })

  // Only if the command line exists.
  const commands = existsSync(join(root, 'src/cli/main.ts')) ? ['--version', 'schema manifest'] : []

  test.each(commands)('runs landform %s without GDAL', (command) => {
    const output = run(project, installed('.bin/landform'), command.split(' '))
    if (command === '--version') expect(output.trim()).toBe(about.version)
    else expect(JSON.parse(output)).toHaveProperty('$schema')
  })
})
