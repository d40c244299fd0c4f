import { useEffect } from 'preact/hooks';
import { Logo } from '../ui/icons.js';

/** Replaces the page if the address has no valid token. */
export function RefusedPage() {
  useEffect(() => {
    document.title = 'Token needed · Toolfold';
  }, []);
  return (
    <main class="whole-page">
      <div class="stack">
        <div class="brand">
          <Logo size={28} />
        </div>
        <h1>This address needs its token</h1>
        <p>
          Open the address that the server printed when it started. It ends with <code>#token=</code> and a
          value that is valid until the server stops.
        </p>
        <p class="soft">
          If the server was started again, its token is a new one. The token keeps other pages and other users
          of this machine away from your server.
        </p>
      </div>
    </main>
  );
}
