/** `/docs/password-reset`: where a one-time link leads. The token is behind the `#`, which no browser sends to a server. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { PASSWORD_CHARACTERS } from '../../core/users/password-rules.ts';
import type { RouteDeclaration } from '../../hooks/register-operations.ts';

const declaration: RouteDeclaration = {
  id: 'password-reset-page.get',
  family: 'service',
  effect: 'read',
  access: 'public',
  limitClass: 'none',
};

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 12vh auto; padding: 0 1rem; color: #1c2430; }
label { display: block; margin: 1rem 0 .25rem; }
input { width: 100%; box-sizing: border-box; font: inherit; padding: .5rem; border: 1px solid #8a94a3; border-radius: 4px; }
button { margin-top: 1.25rem; font: inherit; padding: .5rem 1.25rem; border: 0; border-radius: 4px; background: #1c4f8c; color: #fff; }
button:disabled { background: #8a94a3; }
output { display: block; margin-top: 1rem; }
`;

const SCRIPT = `
const form = document.querySelector('form');
const output = document.querySelector('output');
const token = new URLSearchParams(location.hash.slice(1)).get('token');
history.replaceState(null, '', location.pathname);
const say = (text) => { output.textContent = text; };
if (!token) { form.hidden = true; say('This link is not complete: open it again as you got it.'); }
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [password, again, totp] = ['password', 'again', 'totp'].map((name) => form.elements[name].value);
  if (password !== again) return say('The two passwords are not the same.');
  form.elements.send.disabled = true;
  try {
    const response = await fetch('/api/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reset_token: token, new_password: password, ...(totp ? { totp } : {}) }),
    });
    const body = await response.json();
    if (response.ok) {
      // Whoever sets a password here logs in elsewhere: this session is not needed.
      await fetch('/api/v1/auth/logout', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ refresh_token: body.refresh_token }),
      });
      form.hidden = true;
      return say('Your password is set. You can log in with it now.');
    }
    const { message, details } = body.error;
    if (details.code === 'totp_required') document.getElementById('second').hidden = false;
    say(details.code === 'totp_required' ? 'Enter the code of your authenticator app, or a recovery code.' : message);
  } catch {
    say('The service did not answer: try again.');
  } finally {
    form.elements.send.disabled = false;
  }
});
`;

const { least, most } = PASSWORD_CHARACTERS;
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set your password</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>Set your password</h1>
<p>${least} to ${most} characters of any kind. A few words that belong together only for you are a good one.</p>
<form method="post">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${least}" required>
<label for="again">Once more</label>
<input id="again" name="again" type="password" autocomplete="new-password" minlength="${least}" required>
<div id="second" hidden>
<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code">
</div>
<button name="send">Set password</button>
</form>
<output role="status"></output>
<script>${SCRIPT}</script>
</body>
</html>
`;

const hashed = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY = [
  "default-src 'none'",
  `script-src ${hashed(SCRIPT)}`,
  `style-src ${hashed(STYLE)}`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export async function passwordResetPage(app: FastifyInstance): Promise<void> {
  app.get('/docs/password-reset', { config: { declaration } }, async (_, reply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
}
