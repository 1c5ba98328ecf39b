/** Applies 1,000 new resources with the command line's own code, and plans them again, on both databases. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApi } from '../../src/api/api.ts'
import { loadManifest } from '../../src/manifest/load.ts'
import { applyPlan } from '../../src/reconcile/apply.ts'
import { planManifest } from '../../src/reconcile/read.ts'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { report, timed } from './support/report.ts'
import { startServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'

const limits = { pglite: 10, postgres: 5 } as const
const groupCount = 100

/** A hundred groups, each with three empty layers, a style for each, and two rules and a map: 1,000 resources. */
function writeManifest(path: string): void {
  const lines = [
    'manifest: bench',
    'resources:',
    '  root:',
    '    existing: true',
    '    id: 0',
    '    children:',
  ]
  for (let group = 0; group < groupCount; group += 1)
    lines.push(...groupLines(`g${group}`).map((line) => `      ${line}`))
  writeFileSync(path, `${lines.join('\n')}\n`)
}

function groupLines(key: string): string[] {
  const layers = [0, 1, 2].flatMap((nth) => layerLines(`${key}_l${nth}`))
  const nested = [...layers, ...mapLines(key), ...plainGroups(key)]
  const read =
    '{ action: allow, principal: authenticated, scope: resource, permission: read, propagate: true }'
  const data = '{ action: allow, principal: authenticated, scope: data, permission: read, propagate: true }'
  return [
    `${key}:`,
    '  cls: resource_group',
    `  display_name: Group ${key}`,
    '  permissions:',
    `    - ${read}`,
    `    - ${data}`,
    '  children:',
    ...nested.map((line) => `    ${line}`),
  ]
}

function layerLines(key: string): string[] {
  return [
    `${key}:`,
    '  cls: vector_layer',
    `  display_name: Layer ${key}`,
    '  vector_layer: { srs: { id: 3857 }, geometry_type: POINT }',
    '  feature_layer: { fields: [{ keyname: name, datatype: STRING }] }',
    '  children:',
    `    ${key}_style: { cls: mapsrv_style, display_name: Style ${key} }`,
  ]
}

function mapLines(key: string): string[] {
  const item = `{ item_type: layer, display_name: L, layer_style_id: ${key}_l0_style }`
  return [
    `${key}_map:`,
    '  cls: webmap',
    `  display_name: Map ${key}`,
    `  webmap: { root_item: { item_type: root, children: [${item}] } }`,
  ]
}

function plainGroups(key: string): string[] {
  return [0, 1].map((nth) => `${key}_s${nth}: { cls: resource_group, display_name: Part ${nth} }`)
}

async function measure(driver: keyof typeof limits, databaseUrl: string | undefined): Promise<void> {
  const server = await startServer({ dataFolder: join(folder, driver), databaseUrl })
  const api = createApi({ url: server.url, credentials: { login: 'administrator', password: benchPassword } })
  const { manifest } = await loadManifest({ paths: [path], env: {}, cwd: folder })
  if (manifest === undefined) throw new Error('the manifest has faults')
  const applied = await timed(async () => applyPlan({ api, plan: await planManifest({ api, manifest }) }))
  const done = applied.value.outcomes.filter(({ outcome }) => outcome === 'created').length
  const failed = applied.value.outcomes.find(({ outcome }) => outcome === 'failed')
  if (done !== 10 * groupCount) throw new Error(`${done} resources were created: ${failed?.problem?.message}`)
  const again = await timed(() => planManifest({ api, manifest }))
  report({
    name: `apply of 1,000 new resources, ${driver}`,
    value: `${applied.seconds.toFixed(1)} s, ${Math.round(done / applied.seconds)}/s; second plan ${again.value.changes.length} changes in ${again.seconds.toFixed(2)} s`,
    promised: `under ${limits[driver]} s`,
    isKept: applied.seconds < limits[driver] && again.value.changes.length === 0,
  })
  await api.close()
  await server.stop()
}

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const path = join(folder, 'bench.yaml')
const cluster = await startCluster()
try {
  writeManifest(path)
  await execute(cluster.url, 'create database apply')
  await measure('postgres', withDatabase(cluster.url, 'apply'))
  await measure('pglite', undefined)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
