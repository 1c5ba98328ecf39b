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
import { findAddress } from './support/killable.ts'

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
  addBinaries()
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

/** Adds the binaries for this machine of packages that draw: they are optional as GDAL is, but need no compiler. */
function addBinaries(): void {
  for (const scope of ['@img', '@napi-rs'])
    for (const name of readdirSync(join(root, 'node_modules', scope))) {
      const path = join(scope, name)
      if (!existsSync(installed(path)))
        cpSync(join(root, 'node_modules', path), installed(path), { recursive: true })
    }
}

function run(cwd: string, program: string, args: readonly string[], variables = env): string {
  const result = spawnSync(program, args, { cwd, env: variables, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')}\n${result.stdout}${result.stderr}`)
  return result.stdout
}

/** A layer with a label, so that drawing it needs the fonts of a package. */
const manifest = `
manifest: trees
resources:
  root:
    existing: true
    id: 0
    children:
      trees:
        cls: vector_layer
        display_name: Trees
        vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
        feature_layer: { fields: [{ keyname: name, datatype: STRING, display_name: Name }] }
        children:
          named:
            cls: mapsrv_style
            display_name: Trees with names
            mapsrv_style:
              xml: |
                <map><layer><labelitem>name</labelitem><class>
                  <style><color red="20" green="90" blue="40"/></style>
                  <label><size>11</size><color red="0" green="0" blue="0"/></label>
                </class></layer></map>
`

const tree = { fields: { name: 'Oak' }, geom: 'POINT (1000000 6000000)' }

const installed = (path: string) => join(project, 'node_modules', path)

describe('the published package', () => {
  test('contains the program, SQL and license, and no sources', () => {
    const files = readdirSync(installed('landform'), { recursive: true, encoding: 'utf8' })
    expect(files).toContain('LICENSE')
    expect(files).toContain(join('dist', 'core', 'problem.js'))
    expect(files).toContain(join('dist', 'core', 'problem.d.ts'))
    expect(files).toContain(join('dist', 'store', 'migrations', '0001_foundation.sql'))
    expect(files).toContain(join('dist', 'bundle', 'main.js'))
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

  test('serves, applies, draws and shows a map, without GDAL', async () => {
    writeFileSync(join(project, 'trees.yaml'), manifest)
    const password = 'a password of the package'
    const words = ['serve', '--data', 'data', '--listen', '127.0.0.1:0']
    const options = { cwd: project, env: { ...env, LANDFORM_ADMIN_PASSWORD: password } }
    const server = spawn(installed('.bin/landform'), words, {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(server, 'exit')
    try {
      const url = await findAddress(server.stderr)
      const account = { LANDFORM_SERVER: url, LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: password }
      const landform = (...command: string[]) =>
        run(project, installed('.bin/landform'), command, { ...env, ...account })
      expect(landform('apply', 'trees.yaml', '--yes')).toContain('2 created')
      expect(landform('plan', 'trees.yaml', '--html', 'plan.html')).toContain('0 changes')
      expect(readFileSync(join(project, 'plan.html'), 'utf8')).toContain('</html>')
      const authorization = `Basic ${btoa(`administrator:${password}`)}`
      const ask = (path: string, body?: object) =>
        fetch(`${url}/api/${path}`, {
          headers: { authorization },
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        })
      expect(await (await ask('resource/1/feature/', tree)).json()).toEqual({ id: 1 })
      const tile = await ask('component/render/tile?resource=2&z=0&x=0&y=0')
      expect([tile.status, tile.headers.get('content-type')]).toEqual([200, 'image/png'])
    } finally {
      server.kill()
      await exited
    }
  })

  // Only if the command line exists.
  const commands = existsSync(join(root, 'src/cli/main.ts')) ? ['--version', 'schema manifest'] : []

  test.each(commands)('runs landform %s without GDAL', (command) => {
    const output = run(project, installed('.bin/landform'), command.split(' '))
    if (command === '--version') expect(output.trim()).toBe(about.version)
    else expect(JSON.parse(output)).toHaveProperty('$schema')
  })
})
