import { countOf } from '../../core/count.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { plainLine } from '../print/text_format.ts'
import { writeLine } from '../terminal.ts'
import { findStyle, nameStyle } from './style.ts'

/** The command `cache purge`. */
export const purgeCommand: CommandSpec = {
  name: 'purge',
  summary: 'delete the tiles that the server keeps of styles; they are drawn again on request',
  examples: ['landform cache purge roads_style', 'landform cache purge 17 City/Roads/Grey'],
  declare: (command) => eventOptions(command.argument('<styles...>', 'keynames, ids or paths')),
  run: ({ arguments: [names], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const signal = terminal.interrupt
      const styles = []
      for (const name of names as readonly string[]) styles.push(await findStyle(api, name, signal))
      for (const style of styles) {
        const { id } = style
        const { tiles } = await api.call('tile_cache.count', { params: { id }, signal })
        await api.call('tile_cache.purge', { params: { id } })
        if (options.json) writeEvent(terminal.out, 'tile_cache_purged', { style: id, tiles })
        else writeLine(terminal.out, `${plainLine(nameStyle(style))}: ${countOf(tiles, 'tile')} deleted`)
      }
    }),
}
