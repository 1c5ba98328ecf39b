import { createStatus } from './catalog/status.ts'
import { element } from './element.ts'
import { configPath, startPage } from './page.ts'
import { createRecovery, isPassingFault } from './recovery.ts'
import { ask, reasonOf } from './request.ts'

const { webmap, tiny } = document.body.dataset
const id = Number(webmap)

startPage({ id, tiny: tiny !== undefined }).catch((error: unknown) => {
  document.body.replaceChildren(
    element(
      'main',
      { class: 'failure', role: 'alert' },
      element('h1', {}, 'Cannot show the map'),
      element('p', {}, reasonOf(error)),
      element('button', { type: 'button', class: 'plain', click: () => location.reload() }, 'Try again'),
    ),
  )
  if (isPassingFault(error)) reloadOnceReachable()
})

/** Loads the page again as soon as the server answers. The page itself reports the fault. */
function reloadOnceReachable(): void {
  const { load } = createRecovery(createStatus())(
    () => '',
    () => {},
  )
  load('config', async () => {
    await ask(configPath(id))
    location.reload()
  })
}
