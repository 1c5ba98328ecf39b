import { showNumber } from '../../core/count.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatColumns, plainLine, showBytes } from '../print/text_format.ts'
import { writeLine } from '../terminal.ts'
import { findStyle, listCachedStyles, nameStyle } from './style.ts'

/** The command `cache stat`. */
export const statCommand: CommandSpec = {
  name: 'stat',
  summary: 'count the tiles that the server keeps of styles, by zoom level',
  examples: ['landform cache stat', 'landform cache stat roads_style --json'],
  declare: (command) =>
    eventOptions(
      command.argument('[styles...]', 'keynames, ids or paths (default: all styles whose tiles are kept)'),
    ),
  run: ({ arguments: [names = []], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const signal = terminal.interrupt
      const named = names as readonly string[]
      const styles = named.length === 0 ? await listCachedStyles(api, signal) : []
      for (const name of named) styles.push(await findStyle(api, name, signal))
      const rows: string[][] = []
      for (const style of styles) {
        const { id, enabled } = style
        const counted = await api.call('tile_cache.count', { params: { id }, signal })
        if (options.json) writeEvent(terminal.out, 'tile_cache', { style: id, enabled, ...counted })
        const zooms = counted.zooms.map(({ zoom, tiles }) => `${zoom}: ${showNumber(tiles)}`).join(', ')
        const kept = enabled ? 'yes' : 'no'
        rows.push([
          ...[plainLine(nameStyle(style)), kept, showNumber(counted.tiles), showBytes(counted.bytes)],
          zooms || '-',
        ])
      }
      if (options.json) return
      const head = ['STYLE', 'KEPT', 'TILES', 'SIZE', 'TILES BY ZOOM LEVEL']
      writeLine(terminal.out, rows.length === 0 ? 'No style keeps its tiles.' : formatColumns(head, rows))
    }),
}
