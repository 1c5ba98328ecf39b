import type { Writable } from 'node:stream'
import { Listr, ListrLogger, ProcessOutput } from 'listr2'

/** Progress line that is redrawn in place. */
export interface LiveLine {
  update(title: string, detail: string): void
  /** Clears the line. */
  end(): Promise<void>
}

/** Starts a line with a spinner on a terminal. */
export function startLiveLine(err: Writable): LiveLine {
  const stream = err as NodeJS.WriteStream
  const { promise, resolve } = Promise.withResolvers<void>()
  const state: { update: (title: string, detail: string) => void } = { update: () => undefined }
  const list = new Listr(
    [
      {
        title: 'Applying',
        task: async (_, task) => {
          state.update = (title, detail) => {
            task.title = title
            task.output = detail
          }
          await promise
        },
      },
    ],
    {
      renderer: 'default',
      registerSignalListeners: false,
      rendererOptions: {
        clearOutput: true,
        logger: new ListrLogger({
          processOutput: new ProcessOutput(stream, stream, { leaveEmptyLine: false }),
        }),
      },
    },
  )
  const running = list.run()
  return {
    update: (title, detail) => state.update(title, detail),
    end: async () => {
      resolve()
      await running
    },
  }
}
