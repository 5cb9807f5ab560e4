/**
 * The script of pages where passkeys are made and used. Each form `data-passkey` has the options of the server; its
 * answer is submitted with the form. Where no script runs, or the browser has no passkeys, these forms stay hidden.
 */
const passkeyForms = document.querySelectorAll<HTMLFormElement>('form[data-passkey]')
const hasPasskeys =
  typeof PublicKeyCredential === 'function' &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function' &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'

const askAuthenticator = async (form: HTMLFormElement): Promise<PublicKeyCredential | null> => {
  const options: unknown = JSON.parse(form.dataset['options'] ?? '{}')
  const made =
    form.dataset['passkey'] === 'make'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
            options as PublicKeyCredentialCreationOptionsJSON,
          ),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON),
        })
  return made as PublicKeyCredential | null
}

const answerForm = async (form: HTMLFormElement): Promise<void> => {
  const failed = form.querySelector<HTMLElement>('[data-failed]')
  const field = form.querySelector<HTMLInputElement>('input[name=answer]')
  if (failed) failed.hidden = true
  try {
    const made = await askAuthenticator(form)
    if (!made || !field) return
    field.value = JSON.stringify(made.toJSON())
    form.submit()
  } catch {
    if (failed) failed.hidden = false
  }
}

if (hasPasskeys)
  for (const form of passkeyForms) {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void answerForm(form)
    })
  }
for (const element of document.querySelectorAll<HTMLElement>('[data-without-passkeys]')) element.hidden = hasPasskeys
