import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import type { GeometryFamily } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import type { WrittenStyle } from '../../style/flat_rules.ts'
import { writeMapboxStyle } from '../../style/mapbox/mapbox_write.ts'
import { readMapserverXml } from '../../style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../style/mapserver/mapserver_style.ts'
import { readDesktopStyle } from '../../style/qml/desktop_style.ts'
import { writeSld } from '../../style/sld/sld_write.ts'
import type { Style } from '../../style/style_model.ts'
import type { CommandSpec } from '../command.ts'
import { formatIssues } from '../print/issue_list.ts'
import { type Terminal, writeLine } from '../terminal.ts'

const targets = ['sld', 'mapbox'] as const
const families = ['POINT', 'LINESTRING', 'POLYGON'] as const satisfies readonly GeometryFamily[]

/** Settings of `convert-style`. */
interface ConvertSettings {
  readonly path: string
  readonly to: (typeof targets)[number]
  /** Kind of geometries, which MapServer XML does not state. */
  readonly geometry: GeometryFamily
  /** URL of the tiles of a Mapbox GL style, and the name of their layer. */
  readonly tiles: string
  readonly tileLayer: string
}

async function runConvert(settings: ConvertSettings, terminal: Terminal): Promise<number> {
  const { path } = settings
  const text = await readFile(resolve(terminal.cwd, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw problem('usage/bad-argument', `Cannot read "${path}": ${error.code ?? error.message}.`)
  })
  const { style, issues } = read(text, settings)
  if (issues.length > 0) writeLine(terminal.err, formatIssues(issues, new Map([[path, text]])))
  if (style === undefined || hasErrors(issues)) return 3
  const { text: written, untranslated } = write(style, settings)
  terminal.out.write(written)
  for (const part of untranslated) writeLine(terminal.err, `warning: ${path}: ${part}`)
  return 0
}

function read(text: string, { path, geometry }: ConvertSettings) {
  if (extname(path).toLowerCase() !== '.xml') return readDesktopStyle(text, { file: path })
  const { style, issues } = readMapserverXml(text, path)
  return { style: style && styleOfMapserver(style, geometry), issues }
}

function write(style: Style, { to, path, tiles, tileLayer }: ConvertSettings): WrittenStyle {
  const name = basename(path, extname(path))
  return to === 'sld' ? writeSld(style, name) : writeMapboxStyle(style, { tiles, layer: tileLayer }, name)
}

function oneOf<T extends string>(option: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found !== undefined) return found
  throw problem('usage/bad-argument', `--${option}: expected ${allowed.join(', ')}, got "${value}".`)
}

/** The command `convert-style`. */
export const convertStyleCommand: CommandSpec = {
  name: 'convert-style',
  summary: 'write a style file as SLD or as a style of Mapbox GL',
  examples: [
    'landform convert-style roads.qml --to sld > roads.sld',
    'landform convert-style roads.xml --geometry LINESTRING --to mapbox > roads.json',
  ],
  declare: (command) =>
    command
      .argument('<file>', 'style: QML, SLD, Mapbox GL (.json), or MapServer XML (.xml)')
      .requiredOption('--to <format>', `format to write: ${targets.join(' or ')}`)
      .option('--geometry <type>', 'geometries of a MapServer style: POINT, LINESTRING or POLYGON', 'POLYGON')
      .option('--tiles <url>', 'URL of the vector tiles of a Mapbox GL style', '{z}/{x}/{y}.mvt')
      .option('--tile-layer <name>', 'name of the layer in the tiles', 'layer'),
  run: ({ arguments: [path], options }, terminal) =>
    runConvert(
      {
        path: String(path),
        to: oneOf('to', options.to, targets),
        geometry: oneOf('geometry', options.geometry, families),
        tiles: String(options.tiles),
        tileLayer: String(options.tileLayer),
      },
      terminal,
    ),
}
