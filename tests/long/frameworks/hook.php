<?php
// A listener as a first version in PHP would be, without checks.
if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/hook') {
    http_response_code(404);
    exit;
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    exit;
}
$payload = json_decode(file_get_contents('php://input'), true);
if ($payload === null) {
    http_response_code(400);
    exit;
}
$details = $payload['details'];
switch ($payload['service'] . ' ' . $payload['event']) {
    case 'user 201':
        $record = ['name' => trim($details['firstName']) . ' ' . trim($details['lastName']),
                   'city' => trim($details['address']['city'])];
        break;
    case 'alerts push':
        $record = ['bureau' => trim($details['bureau']), 'status' => $details['alertDetails']['disputeStatus'] ?? null];
        break;
    default:
        $record = ['app' => strtolower($details['appKey'])];
}
http_response_code(200);
