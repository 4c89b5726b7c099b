/* token.js -- the token of this daemon: kept by this tab, and given in the address behind '#', which no server is sent. */
const KEY = 'coterie-token';

export const token = () => sessionStorage.getItem(KEY) || '';
export const keepToken = (text) => sessionStorage.setItem(KEY, text.trim());

export function takeToken() {
	const given = /^#token=([0-9a-f]{64})$/.exec(location.hash);

	if (!given)
		return;
	keepToken(given[1]);
	history.replaceState(null, '', location.pathname);
}

/* What fetch() is told, to post this; the token goes where no form can send it. */
export function posting(body) {
	const headers = { 'Content-Type': 'application/json' };

	if (token())
		headers.Authorization = `Bearer ${token()}`;
	return { method: 'POST', headers, body: JSON.stringify(body) };
}

/* The daemon's sentence may be about the token, which is then asked for again. */
export function forgetIfRefused(e) {
	if (/token/.test(e.message))
		sessionStorage.removeItem(KEY);
}
